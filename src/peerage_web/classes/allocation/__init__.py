"""Who reviews whom."""
