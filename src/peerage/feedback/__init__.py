"""The one container of peer feedback, and how it is built from rows."""
