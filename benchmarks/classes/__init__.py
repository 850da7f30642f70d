"""A large class in the browser: how long its pages take, and many students who save at once."""
