"""The survey: asking, answering, closing it, and sorting what was answered."""
