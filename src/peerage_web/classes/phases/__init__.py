"""The phases of an assignment: the steps between them, what blocks one, and taking it."""
