"""What people write on the pages of classes; checked here for form, in services for sense."""
