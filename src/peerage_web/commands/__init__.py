"""Commands that the command line `peerage` finds as plug-ins (see pyproject.toml)."""
