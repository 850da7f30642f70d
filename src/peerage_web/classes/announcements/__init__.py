"""What staff tell students in their own words."""
