"""Submissions: uploading, submitting, and what reviewers see of them."""
