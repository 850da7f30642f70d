"""The roster of a class: who is in it, who submits what, who belongs together. One for the whole package."""
