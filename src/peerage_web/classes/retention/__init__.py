"""How long courses are kept, and deleting them."""
