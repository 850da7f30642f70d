"""Appeals: asking, looking at what an answer would change, and answering."""
