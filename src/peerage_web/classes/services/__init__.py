"""What changes classes. Functions are named after what they do, by keyword; each leaves a record."""
