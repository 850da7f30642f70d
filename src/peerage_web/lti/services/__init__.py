"""What writes: registrations, launches, people, deep links, rosters and the outbox of scores."""
