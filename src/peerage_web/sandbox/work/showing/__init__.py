"""What reviewers get instead of a file that was handed in; made in a child, out of an allow-list."""

from peerage_web.sandbox.work.showing.making import make_shown

__all__ = ["make_shown"]
