"""Addresses that platforms call, and pages of the operator and of staff."""
