"""How far everybody is, and reminders."""
