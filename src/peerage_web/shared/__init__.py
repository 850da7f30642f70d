"""What every part of the service uses: the frame of pages, errors, rate limits, heartbeats, middleware."""
