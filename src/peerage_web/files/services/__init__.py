"""What changes the database or the files. Functions are named after what they do; arguments by keyword."""
