"""What is done for accounts in every round of maintenance."""

from __future__ import annotations

from peerage_web.accounts.services.links import forget_old_links
from peerage_web.accounts.services.mail import send_waiting_mail
from peerage_web.accounts.services.sessions import forget_old_sessions


def maintain() -> None:
    """Forget what is past its time, then send mail, which may take a while."""
    forget_old_links()
    forget_old_sessions()
    send_waiting_mail()
