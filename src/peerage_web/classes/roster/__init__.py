"""Who is in a course, one by one or imported from a file."""
