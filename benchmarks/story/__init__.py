"""A scripted class, from submitting to an accepted appeal, whose processes are killed all the time."""
