"""The contract between the service and its child processes: plain data that both sides know."""
