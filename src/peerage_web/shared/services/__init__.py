"""What every part of the service asks of the database and the sandbox. Arguments by keyword."""
