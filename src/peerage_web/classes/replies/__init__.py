"""What authors answer their reviewers."""
