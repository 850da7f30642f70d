"""What a child makes of files that were submitted: nothing of their author is left but what is seen."""

import io
import json
import re
import struct
import zipfile
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from PIL import Image
from tests.unreachable import inside_unreachable
from tests.web.classes import planted
from tests.web.classes.cast import PIXEL
from tests.web.classes.childless import run_here
from tests.web.classes.searching import Marks, texts_of

from peerage_web.classes.submissions.copies import PROBLEMS
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.contract.rendering import (
    IMAGE_MARK,
    MAX_PAGE_PIXELS,
    InvalidCopyError,
    check_review_copy,
)
from peerage_web.sandbox.work.rendering.render import render_file


@pytest.fixture
def make(tmp_path):
    """Make copies in a real child, behind its walls."""

    def made(data: bytes, kind: str) -> tuple[dict, Path]:
        files = _folder(tmp_path, data)
        said = parent.run(render_file, files, kind, seconds=120, memory=1 << 31)
        return said, Path(files.folder) / "shown"

    return made


def _folder(where: Path, data: bytes) -> JobFiles:
    folder = where / f"submission-{len(list(where.iterdir()))}"
    (folder / "input").mkdir(parents=True)
    (folder / "input" / "submission").write_bytes(data)
    return JobFiles(str(folder), "submission")


def test_pdf_keeps_its_pages_and_nothing_else(make):
    marks = Marks()

    said, folder = make(planted.pdf(marks, pages=2), "pdf")

    assert [one["text"].splitlines()[0] for one in said["pictures"]] == [planted.TEXT] * 2
    assert said["left_out"] == {"notes": 4, "links": 2, "attachments": 2}
    assert len(marks.planted) > 60
    for file in folder.iterdir():
        assert marks.found_in(file.read_bytes()) == [], file.name
    with Image.open(folder / "page-001.webp") as page:
        assert page.info.keys() <= {"loop", "background"}
        assert page.convert("RGB").getpixel((366, 295))[0] > 200, "the photograph's red corner is drawn"
    # its author is told what the file says about itself
    assert {"info-author", "xmp", "note-author", "attachment-name"} <= marks.found_in_text(said["hidden"])


def test_pdf_is_made_where_no_absolute_path_leads(tmp_path, monkeypatch):
    """Rendered once before: on some machines another user may not read what is imported for it."""
    monkeypatch.chdir(tmp_path)
    data = planted.pdf(Marks())
    first, second = _folder(tmp_path, data), _folder(tmp_path, data)
    made = render_file(first, "pdf", on_step=print)

    with inside_unreachable(Path(second.folder)):
        assert render_file(replace(second, folder="."), "pdf", on_step=print) == made

    assert "problem" not in made


@pytest.mark.parametrize(("step", "said"), [(0.001, "problem"), (5, "pictures")])
def test_a_pattern_that_would_be_drawn_for_minutes_is_refused(make, step, said):
    document = pikepdf.new()
    page = document.add_blank_page(page_size=(600, 800))
    tile = document.make_stream(
        b"0 0 1 1 re f", PatternType=1, PaintType=1, TilingType=1, BBox=[0, 0, 1, 1], XStep=step, YStep=step,
        Resources=Dictionary(),
    )  # fmt: skip
    page.Resources = Dictionary(Pattern=Dictionary(P=tile))
    page.Contents = document.make_stream(b"/Pattern cs /P scn 0 0 600 800 re f")

    answer, _folder_of_it = make(_bytes_of(document), "pdf")

    assert said in answer


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


BEYOND = {  # what is drawn; the page shows 200 by 100 points of it
    "text above the edge": b"BT /F1 9 Tf 9 150 Td (zqbeyond) Tj ET",
    "text left of everything": b"BT /F1 9 Tf -500 9 Td (zqbeyond) Tj ET",
    "an image that is cut off": b"q 200 0 0 200 0 0 cm /Im1 Do Q",
    "an image in a drawing that is cut off": b"q 200 0 0 200 0 0 cm /Fm1 Do Q",
    "an image with a remark": b"q BI /W 1 /H 1 /BPC 8 /CS /G /Who (zqbeyond) ID x EI Q",
}


@pytest.mark.parametrize("what", BEYOND)
def test_page_that_hides_something_beyond_its_edge_is_drawn_anew(tmp_path, what):
    made = pikepdf.Pdf.open(io.BytesIO(_with_layer()))
    for _page in range(2):
        made.pages.append(made.pages[0])
    for number, drawn in enumerate((b"", BEYOND[what], b"BT /F1 9 Tf 150 9 Td (cut off a litt) Tj ET")):
        page = made.pages[number].obj
        page.MediaBox, page.CropBox = Array([-600, 0, 200, 300]), Array([0, 0, 200, 100])
        page.Contents = pikepdf.Stream(made, b"BT /F1 9 Tf 9 9 Td (seen) Tj ET " + drawn)
        image = made.make_stream(
            b"zqbeyond" * 3, Type=Name.XObject, Subtype=Name.Image, Width=4, Height=2, BitsPerComponent=8,
            ColorSpace=Name.DeviceRGB,
        )  # fmt: skip
        form = made.make_stream(
            b"/Im1 Do", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 1, 1],
            Resources=Dictionary(XObject=Dictionary(Im1=image)),
        )  # fmt: skip
        page.Resources.XObject = Dictionary(Im1=image, Fm1=form)

    files = _folder(tmp_path, _bytes_of(made))
    said, folder = run_here(render_file, files, "pdf"), Path(files.folder) / "shown"

    assert said["left_out"] == {"layers": 1, "pages": 1}
    assert [one["text"].split()[:1] for one in said["pictures"]] == [["seen"]] * 3
    assert {(one["width"], one["height"]) for one in said["pictures"]} == {(362, 181)}
    with pikepdf.open(folder / "copy.pdf") as copy:
        page = copy.pages[1].obj
        (picture,) = page.Resources.XObject.as_dict().values()
        assert (picture.Width, picture.Height) == (556, 278)
        assert b"zqbeyond" not in page.Contents.read_bytes()


def test_hidden_layers_stay_hidden_and_huge_pages_are_bounded(make):
    said, folder = make(_with_layer(), "pdf")

    assert said["pictures"][0]["text"] == "seen"
    assert said["left_out"] == {"layers": 1}
    assert b"unseen" not in b"".join(texts_of((folder / "copy.pdf").read_bytes()))

    said, _folder_of_it = make(_pages(1, page_size=(14000, 14000)), "pdf")

    (one,) = said["pictures"]
    assert one["width"] * one["height"] <= MAX_PAGE_PIXELS * 1.01, "but for rounding up"


def _with_layer() -> bytes:
    made = pikepdf.new()
    made.add_blank_page(page_size=(200, 100))
    layer = made.make_indirect(Dictionary(Type=Name.OCG, Name=pikepdf.String("x")))
    made.Root.OCProperties = Dictionary(OCGs=[layer], D=Dictionary(OFF=[layer]))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    made.pages[0].obj.Resources = Dictionary(Font=Dictionary(F1=font), Properties=Dictionary(L1=layer))
    drawn = b"BT /F1 9 Tf 9 9 Td (seen) Tj ET /OC /L1 BDC BT /F1 9 Tf 9 50 Td (unseen) Tj ET EMC"
    made.pages[0].obj.Contents = pikepdf.Stream(made, drawn)
    return _bytes_of(made)


def _bytes_of(made: pikepdf.Pdf, **options) -> bytes:
    kept = io.BytesIO()
    made.save(kept, **options)
    return kept.getvalue()


def _pages(count: int, page_size: tuple[int, int] = (612, 792), **options) -> bytes:
    made = pikepdf.new()
    for _ in range(count):
        made.add_blank_page(page_size=page_size)
    return _bytes_of(made, **options)


def _bomb() -> bytes:
    """A PNG that says it has forty thousand million pixels, in a few bytes."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 200_000, 200_000, 8, 2, 0, 0, 0)
    checksum = struct.pack(">I", zlib.crc32(header))
    return PIXEL[:12] + header + checksum + PIXEL[33:]


def _locked_word() -> bytes:
    """The flag of every entry in the list at the end is set."""
    return re.sub(rb"(?s)(PK\x01\x02....).", b"\\g<1>\x01", planted.docx(Marks()))


def _other_zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.txt", b"a")
    return made.getvalue()


BAD = {
    "swollen word": (
        lambda: planted.docx(Marks(), more={"word/media/image2.png": bytes(300 << 20)}),
        "word",
        "unpacked",
    ),
    "locked word": (_locked_word, "word", "locked-word"),
    "half a word": (lambda: planted.docx(Marks())[:900], "word", "unreadable"),
    "another zip": (_other_zip, "word", "unreadable"),
    "locked": (lambda: _pages(1, encryption=pikepdf.Encryption(owner="a", user="b")), "pdf", "locked"),
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
    for name, (data, kind, code) in BAD.items():
        said = run_here(render_file, _folder(tmp_path, data()), kind)

        assert said["problem"]["code"] == code, name
        assert code in PROBLEMS


def test_word_file_is_its_text_and_images_and_nothing_else(make):
    marks = Marks()
    body = "<w:p><w:r><w:t>&lt;script&gt;x&lt;/script&gt; \ue0007\ue001</w:t></w:r></w:p>"
    data = planted.docx(marks, body=body, more={"word/vbaProject.bin": marks("macro").encode()})

    said, folder = make(data, "word")

    assert said["html"].startswith("<h3>Tides</h3><p>A poster about tides. And the sun.</p>")
    assert IMAGE_MARK.findall(said["html"]) == ["1"], "and not the one that the text pretends to have"
    assert "<script" not in said["html"]
    assert said["text"].splitlines()[:2] == ["Tides", "A poster about tides. And the sun."]
    assert said["left_out"] == {"headers": 1, "comments": 1, "changes": 2, "macros": 1}
    assert [page["name"] for page in said["pictures"]] == ["page-001.png"]
    assert sorted(path.name for path in folder.iterdir()) == ["copy.txt", "page-001.png"]
    seen = said["html"] + said["text"]
    assert marks.found_in(seen.encode() + b"".join(path.read_bytes() for path in folder.iterdir())) == []
    told = marks.found_in_text(said["hidden"])
    assert {"creator", "company", "comment", "comment-author", "change-author", "deleted", "header"} <= told


def test_markdown_is_made_without_html_and_pictures(make):
    text = "# Title\n\n<script>x</script> ![a](b.png) [l](javascript:x)\n\n- one\u202e\n"

    said, folder = make(text.encode(), "markdown")

    assert said["html"].startswith("<h3>Title</h3>")
    assert not [bad for bad in ("<script", "<img", 'href="javascript') if bad in said["html"]]
    assert (folder / "copy.md").read_text(encoding="utf-8").endswith("- one\n")


def test_what_a_child_says_is_not_believed():
    words = {"kind": "pdf", "download": "copy.pdf", "text": "", "html": "", "hidden": ""}
    page = {"name": "page-001.webp", "width": 1, "height": 1, "text": ""}
    good = {**words, "pictures": [], "left_out": {}}
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
