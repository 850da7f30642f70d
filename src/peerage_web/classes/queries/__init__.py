"""What pages read. Everything starts from what a person may see (`visible`)."""
