"""Addresses of the API for files and jobs."""
