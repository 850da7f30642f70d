"""The file service: drop a file in the browser or send it to the API, get grades."""
