"""Small works for example classes: a text, or a page as PDF, written by hand."""

from __future__ import annotations

OPENINGS = (
    "Why rain smells after a dry week",
    "How a library decides which books to keep",
    "What a bridge does when it is hot",
    "Why we forget names before faces",
    "How bread knows when it is done",
    "What makes a queue feel short",
    "Why maps of the sea have holes",
    "How a choir stays in tune",
)
POINTS = (
    "First, what everybody has seen: it happens more often than we notice.",
    "Two explanations are usually given, and they do not exclude each other.",
    "The first can be tested at home with a glass, a lamp and some patience.",
    "The second rests on measurements that others have repeated many times.",
    "What remains open is how much of the effect each of them explains.",
    "I would test that by changing one thing at a time, and writing it down.",
)


def lines_of(number: int) -> list[str]:
    """A made-up work: title, a word that it is one, and some sentences in an order of its own."""
    title = f"{OPENINGS[number % len(OPENINGS)]} ({number + 1})"
    count = 3 + number % 4
    points = [POINTS[(number + step) % len(POINTS)] for step in range(count)]
    return [title, "", "A made-up work, by nobody.", "", *points]


def text_of(number: int) -> bytes:
    """As plain text."""
    return ("\n".join(lines_of(number)) + "\n").encode()


def markdown_of(number: int) -> bytes:
    """As Markdown."""
    title, _blank, *rest = lines_of(number)
    return ("\n".join([f"# {title}", "", *(f"{line}\n" for line in rest if line)]) + "\n").encode()


def pdf_of(number: int) -> bytes:
    """As a PDF of one page: the least that a reader takes."""
    title, *rest = lines_of(number)
    drawn = [f"BT /F1 18 Tf 72 760 Td ({_escaped(title)}) Tj ET"]
    drawn += [
        f"BT /F1 11 Tf 72 {730 - 18 * place} Td ({_escaped(line)}) Tj ET"
        for place, line in enumerate(rest)
        if line
    ]
    content = "\n".join(drawn).encode("latin-1")
    return _assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _assembled(objects: list[bytes]) -> bytes:
    """Objects one after the other, and the table of where each begins."""
    whole, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(whole))
        whole += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return whole + (
        b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(whole))
    )
