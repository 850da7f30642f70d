"""The models: one file each, all with the same manners."""
