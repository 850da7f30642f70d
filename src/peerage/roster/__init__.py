"""The roster of a class: who is in it, who hands in what, who belongs together. One for the whole package."""
