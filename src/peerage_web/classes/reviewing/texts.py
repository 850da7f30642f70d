"""What the script of the ranking screen says, in the reader's language. `{…}` is filled in by the script."""

from __future__ import annotations

from django.utils.translation import gettext as _


def texts() -> dict[str, str]:
    """By the script's names for them."""
    return {
        "work": _("Work {work}"),
        "ranking": _("Your order, best first"),
        "unranked": _("Not ranked yet"),
        "nothing": _("Nothing has a place yet. Drag a work here, or use its buttons."),
        "all": _("Every work has a place."),
        "place": _("Place {place}"),
        "drag": _("Drag {work}"),
        "up": _("{work}: up"),
        "down": _("{work}: down"),
        "add": _("{work}: to the end of your order"),
        "tie": _("Same as above"),
        "tieWork": _("{work}: same place as the work above"),
        "separate": _("Separate"),
        "separateWork": _("{work}: a place of its own"),
        "choose": _("Place…"),
        "chooseWork": _("{work}: choose a place"),
        "chooseTitle": _("Where does {work} belong?"),
        "alone": _("Place {place}, alone"),
        "with": _("Place {place}, together with {others}"),
        "none": _("Not ranked"),
        "cancel": _("Cancel"),
        "undo": _("Undo"),
        "undone": _("Undone."),
        "at": _("{work}, place {place} of {count}"),
        "atTied": _("{work}, place {place} of {count}, tied with {others}"),
        "isUnranked": _("{work} is not ranked"),
        "first": _("{work} is at the first place already"),
        "last": _("{work} is at the last place already"),
        "cancelled": _("Nothing was moved."),
        "saving": _("Saving…"),
        "saved": _("Everything is saved ({time})."),
        "unsaved": _("Changes are saved by themselves."),
        "offline": _(
            "There is no connection. Your changes are saved on this device only; they are sent as"
            " soon as it is back."
        ),
        "away": _(
            "The service does not answer. Your changes are saved on this device only; they are sent"
            " as soon as it does."
        ),
        "signedOut": _(
            "You have been signed out. Your changes are saved on this device only; they are sent once"
            " you have signed in again."
        ),
        "signIn": _("Sign in (opens in a new tab)"),
        "noDevice": _("Your browser keeps no copy. Leave this page open until everything is saved."),
        "refused": _("This was not saved: {detail}"),
        "otherTab": _(
            "This page is open in another tab or window, too. Nothing is lost, but it is easier to"
            " work in one."
        ),
        "worksChanged": _("The works that you are to review have changed. Everything you did is saved."),
        "reload": _("Load the page again"),
        "restored": _("What you did here before without a connection is back."),
        "conflict": _(
            "There are two orders now: another tab or device has saved one in the meantime. Which one"
            " do you want to keep?"
        ),
        "mine": _("The order on this page"),
        "theirs": _("The order saved elsewhere"),
        "keepMine": _("Keep the order on this page"),
        "keepTheirs": _("Take the order saved elsewhere"),
        "merged": _("A comment was also written in another tab. Both texts are in its field now."),
        "cannotHandIn": _("It can be handed in once everything is saved."),
        "loading": _("The work is being loaded…"),
        "notLoaded": _("The work could not be loaded. Try again."),
        "works": _("Works"),
        "noneRanked": _("nothing ranked"),
    }
