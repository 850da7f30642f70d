"""Staff grades: read, mapped to, held against the peers, used as evidence."""
