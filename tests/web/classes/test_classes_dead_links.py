"""No page offers a link that its reader may not follow."""

import re
from html import unescape

import pytest
from tests.web.classes.cast import appeal_of, extend, move
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.classes.enums import Phase

HREF = re.compile(r'<a\b[^>]*?\bhref="([^"#]+)')
GONE = ("/file?name=", "/report", "/explain")  # of a run whose files were never written
MOST = 400  # pages


def follow(client, start: str) -> dict[str, str]:
    """Refused address to the page that offers it; every page that can be reached is read once."""
    seen, waiting, refused = {start}, [(start, "")], {}
    while waiting:
        address, source = waiting.pop()
        answer = client.get(address)
        if answer.status_code in (403, 404):
            refused[address] = source
            continue
        if answer.streaming:
            list(answer.streaming_content)
        elif answer.status_code == 200 and "text/html" in answer["Content-Type"]:
            for link in HREF.findall(answer.content.decode()):
                target = re.sub(r"[?&]page=[0-9]+", "", unescape(link))
                is_new = target.startswith("/c/") and target not in seen
                if is_new and len(seen) < MOST and not any(part in target for part in GONE):
                    seen.add(target)
                    waiting.append((target, address))
    return refused


WALKED = [("assistant", Phase.REVIEWING), ("assistant", Phase.RELEASED), ("observer", Phase.CLOSED)]
CASES = [
    pytest.param(word, phase, marks=() if (word, phase) in WALKED else pytest.mark.full)
    for word in ("instructor", "assistant", "observer", "student")
    for phase in Phase
]


@pytest.mark.parametrize(("word", "phase"), CASES)
def test_every_link_leads_somewhere(cast, word, phase):
    room = ReleaseRoom(cast, rates_helpfulness=False)
    room.run()
    if phase == Phase.RELEASED:
        room.release()
        appeal_of(room.assignment, room.members[0], room.submissions[0], room.grade_of(0).release)
    else:
        move(room.assignment, phase)
    extend(room.assignment, room.members[1], due_at=room.assignment.reviews_due_at)
    assert follow(cast.client(word), cast.course.get_absolute_url()) == {}
