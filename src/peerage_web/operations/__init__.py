"""Running the service: one supervisor, and under it the web server, the task worker and maintenance."""
