"""Pages of appeals."""
