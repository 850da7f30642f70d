"""What authors think of their own submissions."""
