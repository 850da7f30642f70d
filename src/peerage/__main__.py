"""`python -m peerage`."""

from peerage.cli import main

main()
