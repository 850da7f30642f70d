"""What runs in a child: the library's work on a visitor's files. The library is loaded when it is needed."""
