"""How sure scores, ranks and reliabilities are."""
