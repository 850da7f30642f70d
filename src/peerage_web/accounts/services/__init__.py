"""What changes accounts and tokens. Functions are named after what they do; arguments by keyword."""
