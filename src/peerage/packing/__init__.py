"""Packing: feedback larger than memory, read once and kept in parts that can be read on their own."""
