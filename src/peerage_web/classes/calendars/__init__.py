"""A calendar of one's own deadlines to subscribe to."""
