"""Pages and files of exports."""
