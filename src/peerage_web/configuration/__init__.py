"""How an instance is set up: values from the environment, limits, key, log. Used by settings.py."""
