"""Pages: a view finds what the visitor may see, calls one service, and renders."""
