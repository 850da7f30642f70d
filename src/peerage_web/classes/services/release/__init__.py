"""Grades are released, taken back and mailed; comments are rated and hidden."""
