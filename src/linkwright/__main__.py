"""Run as `python -m linkwright`."""

from linkwright.cli import main

main()
