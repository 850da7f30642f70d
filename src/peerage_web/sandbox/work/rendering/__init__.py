"""What reviewers get instead of a file that was handed in; made in a child, out of an allow-list."""
