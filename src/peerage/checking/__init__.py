"""What an instructor should know about feedback before trusting any grade from it."""
