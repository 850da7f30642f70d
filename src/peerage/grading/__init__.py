"""From scores to grades an instructor can defend."""
