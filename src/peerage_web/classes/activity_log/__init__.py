"""The activity log: who did what, and when."""
