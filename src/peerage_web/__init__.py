"""The web service: drop a file in the browser, get grades. All statistics are in the library `peerage`."""
