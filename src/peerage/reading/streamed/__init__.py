"""Many files as numbers, of which one file or one range of graders at a time is worked on."""
