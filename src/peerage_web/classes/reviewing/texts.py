"""What the script of the ranking screen says, in the reader's language. `{…}` is filled in by the script."""

from django.utils.translation import gettext as _


def texts() -> dict[str, str]:
    return {
        "submission": _("Submission {submission}"),
        "ranking": _("Your ranking, best first"),
        "unranked": _("Not ranked yet"),
        "ranked": _("({count} of {all})"),
        "nothing": _("Nothing is ranked yet. Drag a submission here, or use its buttons."),
        "all": _("Everything is ranked."),
        "rubric": _("Rubric: {chosen} of {all} levels chosen."),
        "place": _("Rank {place}"),
        "drag": _("Drag {submission}"),
        "up": _("{submission}: move up"),
        "down": _("{submission}: move down"),
        "add": _("{submission}: add to the end of your ranking"),
        "tie": _("Tie with above"),
        "tieSubmission": _("{submission}: tie with above"),
        "separate": _("Break tie"),
        "separateSubmission": _("{submission}: break tie"),
        "choose": _("Move to…"),
        "chooseSubmission": _("{submission}: move to…"),
        "chooseTitle": _("Where does {submission} belong?"),
        "alone": _("Rank {place}, on its own"),
        "with": _("Rank {place}, tied with {others}"),
        "none": _("Not ranked"),
        "cancel": _("Cancel"),
        "undo": _("Undo"),
        "undone": _("Undone."),
        "at": _("{submission} is ranked {place} of {count}"),
        "atTied": _("{submission} is ranked {place} of {count}, tied with {others}"),
        "isUnranked": _("{submission} is not ranked"),
        "first": _("{submission} is already ranked first"),
        "last": _("{submission} is already ranked last"),
        "cancelled": _("Nothing was moved."),
        "saving": _("Saving…"),
        "saved": _("All changes are saved ({time})."),
        "unsaved": _("Changes are saved automatically."),
        "offline": _(
            "You are offline. Your changes are saved only on this device. They are sent once you "
            "are back online."
        ),
        "away": _(
            "The server is not responding. Your changes are saved only on this device. They are "
            "sent once it responds."
        ),
        "signedOut": _(
            "You have been signed out. Your changes are saved only on this device. They are sent "
            "once you sign in again."
        ),
        "signIn": _("Sign in (opens in a new tab)"),
        "noDevice": _("Your browser does not keep a copy. Leave this page open until everything is saved."),
        "refused": _("Not saved: {detail}"),
        "otherTab": _(
            "This page is also open in another tab or window. Nothing is lost, but it is easier "
            "to work in one."
        ),
        "submissionsChanged": _("The submissions assigned to you have changed. Everything you did is saved."),
        "reload": _("Reload the page"),
        "restored": _("Your earlier offline changes have been restored."),
        "conflict": _(
            "There are two rankings now: another tab or device has saved one in the meantime. "
            "Which one do you want to keep?"
        ),
        "mine": _("The ranking on this page"),
        "theirs": _("The ranking saved elsewhere"),
        "keepMine": _("Keep the ranking on this page"),
        "keepTheirs": _("Use the ranking saved elsewhere"),
        "merged": _("A comment was also edited in another tab. Its field now contains both texts."),
        "cannotHandIn": _("You can submit once everything is saved."),
        "words": _("Words about this submission: {count}. Minimum: {least}."),
        "loading": _("Loading the submission…"),
        "notLoaded": _("The submission could not be loaded. Try again."),
        "submissions": _("Submissions"),
        "noneRanked": _("nothing ranked"),
    }
