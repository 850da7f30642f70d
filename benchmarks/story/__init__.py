"""A scripted class, from handing in to an accepted appeal, whose processes are killed all the time."""
