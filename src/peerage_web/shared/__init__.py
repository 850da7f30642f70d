"""What every part of the service uses: pages' frame, errors, limits on rates, signs of life, middleware."""
