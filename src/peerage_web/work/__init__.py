"""What runs in the sandbox: the library's work on a visitor's files. No Django, no database."""
