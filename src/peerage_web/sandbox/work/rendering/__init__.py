"""What reviewers get instead of a file that was submitted; made in a child, out of an allow-list."""
