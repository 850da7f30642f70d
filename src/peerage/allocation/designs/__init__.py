"""The designs: each turns an instance into a table of slots that keeps every rule."""
