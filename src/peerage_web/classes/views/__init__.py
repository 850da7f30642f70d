"""Pages of classes. Every view declares what it does (`access.allowed`); a test refuses one that does not."""
