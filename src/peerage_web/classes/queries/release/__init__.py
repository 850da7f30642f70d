"""What was released, what students and staff see of it, and the overviews."""
