"""What a child makes of files that were handed in: nothing of their author is left but what is seen."""

from __future__ import annotations

import io
import json
from functools import partial
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from tests.web.classes import planted
from tests.web.classes.childless import run_here
from tests.web.classes.searching import Marks, texts_of

from peerage_web.classes.submissions.copies import PROBLEMS
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.contract.rendering import MAX_PAGE_PIXELS, InvalidCopyError, check_review_copy
from peerage_web.sandbox.work.rendering.render import render_file

BOUNDS = {"seconds": 120, "memory": 1 << 31}


@pytest.fixture
def make(tmp_path):
    """Make copies in a real child, behind its walls."""

    def made(data: bytes, kind: str) -> tuple[dict, Path]:
        files = _folder(tmp_path, data)
        return parent.run(render_file, files, kind, **BOUNDS), Path(files.folder) / "shown"

    return made


def _folder(where: Path, data: bytes) -> JobFiles:
    folder = where / f"work-{len(list(where.iterdir()))}"
    (folder / "input").mkdir(parents=True)
    (folder / "input" / "work").write_bytes(data)
    return JobFiles(str(folder), "work")


def test_pdf_keeps_its_pages_and_nothing_else(make):
    marks = Marks()

    said, folder = make(planted.pdf(marks, pages=2), "pdf")

    assert [one["text"] for one in said["pictures"]] == [planted.TEXT] * 2
    assert said["left_out"] == {"notes": 4, "links": 2, "attachments": 2}
    assert len(marks.planted) > 40
    for file in folder.iterdir():
        assert marks.found_in(file.read_bytes()) == [], file.name
    with Image.open(folder / "page-001.webp") as page:
        assert page.info.keys() <= {"loop", "background"}
        assert page.convert("RGB").getpixel((366, 295))[0] > 200, "the photograph's red corner is drawn"
    # its author is told what the file says about itself
    assert {"info-author", "xmp", "note-author", "attachment-name"} <= marks.found_in_text(said["hidden"])


def test_image_is_drawn_anew_and_turned_before_its_metadata_goes(make):
    for image in (planted.png, partial(planted.jpeg, orientation=6)):
        marks = Marks()

        said, folder = make(image(marks), "image")

        assert len(list(folder.iterdir())) == 2
        for file in folder.iterdir():
            assert marks.found_in(file.read_bytes()) == [], file.name
            with Image.open(file) as drawn:
                assert not dict(drawn.getexif())
                assert "icc_profile" not in drawn.info
        assert marks.found_in_text(said["hidden"]), "its author is told"

    assert (said["pictures"][0]["width"], said["pictures"][0]["height"]) == (40, 60)
    with Image.open(folder / "copy.jpg") as turned:
        red, _green, blue = turned.getpixel((37, 3))  # what was up left is up right now
        assert red > 200 > 100 > blue


def test_picture_of_a_huge_page_is_bounded(make):
    huge = pikepdf.new()
    huge.add_blank_page(page_size=(14000, 14000))

    said, _folder = make(_bytes_of(huge), "pdf")

    (one,) = said["pictures"]
    assert one["width"] * one["height"] <= MAX_PAGE_PIXELS * 1.01, "but for rounding up"


def test_hidden_layer_stays_hidden(make):
    said, folder = make(_with_layer(), "pdf")

    assert said["pictures"][0]["text"] == "seen"
    assert said["left_out"] == {"layers": 1}
    assert b"unseen" not in b"".join(texts_of((folder / "copy.pdf").read_bytes()))


def _with_layer() -> bytes:
    made = pikepdf.new()
    made.add_blank_page(page_size=(200, 100))
    layer = made.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name=pikepdf.String("x")))
    made.Root.OCProperties = pikepdf.Dictionary(
        OCGs=pikepdf.Array([layer]), D=pikepdf.Dictionary(OFF=pikepdf.Array([layer]))
    )
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    made.pages[0].obj.Resources = pikepdf.Dictionary(
        Font=pikepdf.Dictionary(F1=font), Properties=pikepdf.Dictionary(L1=layer)
    )
    drawn = b"BT /F1 9 Tf 9 9 Td (seen) Tj ET /OC /L1 BDC BT /F1 9 Tf 9 50 Td (unseen) Tj ET EMC"
    made.pages[0].obj.Contents = pikepdf.Stream(made, drawn)
    return _bytes_of(made)


def _bytes_of(made: pikepdf.Pdf, **options) -> bytes:
    kept = io.BytesIO()
    made.save(kept, **options)
    return kept.getvalue()


def _pages(count: int) -> bytes:
    made = pikepdf.new()
    for _ in range(count):
        made.add_blank_page()
    return _bytes_of(made)


def _locked() -> bytes:
    made = pikepdf.new()
    made.add_blank_page()
    return _bytes_of(made, encryption=pikepdf.Encryption(owner="a", user="b"))


def _bomb() -> bytes:
    """A PNG that says it has forty thousand million pixels, in a few bytes."""
    import struct
    import zlib

    def chunk(name: bytes, data: bytes) -> bytes:
        whole = name + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    header = struct.pack(">IIBBBBB", 200_000, 200_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000)))


BAD = {
    "locked": (_locked, "pdf", "locked"),
    "many pages": (lambda: _pages(101), "pdf", "many-pages"),
    "no pages": (lambda: _pages(0), "pdf", "no-pages"),
    "half a pdf": (lambda: b"%PDF-1.7\nrubbish", "pdf", "unreadable"),
    "bomb": (_bomb, "image", "many-pixels"),
    "half an image": (lambda: planted.jpeg(Marks())[:300], "image", "unreadable"),
    "a gif": (lambda: b"GIF89a" + bytes(100), "image", "unreadable"),
    "latin text": (lambda: "Müller".encode("latin-1"), "text", "encoding"),
    "blank text": (lambda: b" \n", "markdown", "empty"),
    "long text": (lambda: b"a" * 1_000_001, "text", "long-text"),
}


def test_file_that_cannot_be_shown_says_why(tmp_path):
    """Made here and not in children, which the tests above have: ten more would take long."""
    said = {}

    for name, (data, kind, _code) in BAD.items():
        made = run_here(render_file, _folder(tmp_path, data()), kind)
        said[name] = made["problem"]["code"]

    assert said == {name: code for name, (_data, _kind, code) in BAD.items()}
    assert set(said.values()) <= set(PROBLEMS)


def test_markdown_is_made_without_html_and_pictures(make):
    text = "# Title\n\n<script>x</script> ![a](b.png) [l](javascript:x)\n\n- one\u202e\n"

    said, folder = make(text.encode(), "markdown")

    assert said["html"].startswith("<h3>Title</h3>")
    assert not [bad for bad in ("<script", "<img", 'href="javascript') if bad in said["html"]]
    assert (folder / "copy.md").read_text(encoding="utf-8").endswith("- one\n")


def test_what_a_child_says_is_not_believed():
    words = {"kind": "pdf", "download": "copy.pdf", "text": "", "html": "", "hidden": ""}
    good = {**words, "pictures": [], "left_out": {}}
    page = {"name": "page-001.webp", "width": 1, "height": 1, "text": ""}
    assert check_review_copy({**good, "pictures": [page]}).pictures[0].width == 1
    bad = [
        {**good, "download": "../../secret.key"},
        {**good, "kind": "html"},
        {**good, "pictures": [{**page, "name": "/etc/passwd"}]},
        {**good, "pictures": [{**page, "width": -1}]},
        {**good, "pictures": [page] * 101},
        {**good, "left_out": []},
        {"kind": "pdf"},
        [],
        None,
    ]

    for said in bad:
        with pytest.raises(InvalidCopyError):
            check_review_copy(json.loads(json.dumps(said)))
