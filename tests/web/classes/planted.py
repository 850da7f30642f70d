"""Files with something planted in every place where a program might write who made them."""

import io
import zipfile
from collections.abc import Callable, Mapping

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream, String
from PIL import Image, PngImagePlugin

TEXT = "A poster about tides."
XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator><rdf:Seq><rdf:li>'
    "MARK</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>"
)


def picture() -> Image.Image:
    """Something with an upper left corner: red there, blue elsewhere."""
    made = Image.new("RGB", (60, 40), "blue")
    made.paste("red", (0, 0, 15, 10))
    return made


def jpeg(mark: Callable[[str], str], orientation: int = 1) -> bytes:
    """A photograph with EXIF, a comment, XMP, a profile and bytes after its end."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x013B] = mark("exif-artist")
    exif[0x8298] = mark("exif-copyright")
    exif[0x9C9D] = mark("exif-windows").encode("utf-16-le")
    exif.get_ifd(0x8769)[0xA430] = mark("exif-owner")
    exif.get_ifd(0x8825)[0x001D] = mark("exif-gps")
    texts = {"comment": mark("jpeg-comment"), "xmp": f"<x>{mark('jpeg-xmp')}</x>".encode()}
    kept = io.BytesIO()
    picture().save(kept, "JPEG", exif=exif, icc_profile=mark("jpeg-profile").encode(), **texts)
    return kept.getvalue() + mark("jpeg-trailer").encode()


def png(mark: Callable[[str], str]) -> bytes:
    """An image with texts, EXIF and a profile."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", mark("png-text"))
    info.add_text("Comment", mark("png-compressed"), zip=True)
    info.add_itxt("XML:com.adobe.xmp", mark("png-xmp"))
    exif = Image.Exif()
    exif[0x013B] = mark("png-exif")
    kept = io.BytesIO()
    picture().save(kept, "PNG", pnginfo=info, exif=exif, icc_profile=mark("png-profile").encode())
    return kept.getvalue() + mark("png-trailer").encode()


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"


def docx(
    mark: Callable[[str], str], text: str = TEXT, body: str = "", more: Mapping[str, bytes] | None = None
) -> bytes:
    """A Word file with a heading, a paragraph, an image, and a mark in every place that is not seen."""
    picture = (
        f'<w:p><w:r><w:drawing><wp:inline xmlns:wp="{_DRAWING}/wordprocessingDrawing">'
        f'<wp:docPr id="1" name="p" descr="{mark("alt")}"/>'
        f'<a:graphic xmlns:a="{_DRAWING}/main"><a:graphicData><pic:pic'
        f' xmlns:pic="{_DRAWING}/picture"><pic:blipFill><a:blip r:embed="r2"/></pic:blipFill></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    change = f'w:id="1" w:author="{mark("change-author")}" w:date="2026-01-01T00:00:00Z"'
    whole = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Tides</w:t></w:r></w:p>'
        f'<w:p><w:commentRangeStart w:id="0"/><w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
        f"<w:ins {change}><w:r><w:t> And the sun.</w:t></w:r></w:ins>"
        f"<w:del {change}><w:r><w:delText>{mark('deleted')}</w:delText></w:r></w:del>"
        f'<w:r><w:commentReference w:id="0"/></w:r></w:p>{picture}{body}'
    )
    properties = (
        f"<x><dc:creator xmlns:dc='d'>{mark('creator')}</dc:creator><company>{mark('company')}</company></x>"
    )
    comment = (
        f'<w:comments xmlns:w="{_WORD}"><w:comment w:id="0" w:author="{mark("comment-author")}">'
        f"<w:p><w:r><w:t>{mark('comment')}</w:t></w:r></w:p></w:comment></w:comments>"
    )
    image = ("r2", "image", "media/image1.jpeg")
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="jpeg"'
        ' ContentType="image/jpeg"/></Types>',
        "_rels/.rels": _relations(("r1", "officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": _relations(
            image, ("r3", "comments", "comments.xml"), ("r4", "header", "header1.xml")
        ),
        "word/document.xml": f'<w:document xmlns:w="{_WORD}" xmlns:r="{_RELATIONS}"><w:body>{whole}</w:body>'
        "</w:document>",
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}"><w:style w:type="paragraph" w:styleId="Heading1">'
        '<w:name w:val="heading 1"/></w:style></w:styles>',
        "word/comments.xml": comment,
        "word/header1.xml": f'<w:hdr xmlns:w="{_WORD}"><w:p><w:r><w:t>{mark("header")}</w:t></w:r></w:p>'
        "</w:hdr>",
        "docProps/core.xml": properties,
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = mark("zip-comment").encode()
        for name, content in {**parts, "word/media/image1.jpeg": jpeg(mark), **(more or {})}.items():
            archive.writestr(name, content)
    return made.getvalue()


def _relations(*rows: tuple[str, str, str]) -> str:
    inside = "".join(
        f'<Relationship Id="{key}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for key, kind, target in rows
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


def pdf(mark: Callable[[str], str], pages: int = 1) -> bytes:
    """A PDF with a mark in every place that is not seen on its pages."""
    made = pikepdf.new()
    for number in range(pages):
        made.add_blank_page(page_size=(420, 300))
        _page(made, made.pages[number].obj, mark)
    information = Dictionary(Author=String(mark("info-author")), Title=String(mark("info-title")))
    made.docinfo = made.make_indirect(information)
    root, xmp = made.Root, XMP.replace("MARK", mark("xmp")).encode()
    root.Metadata = Stream(made, xmp, Type=Name.Metadata, Subtype=Name.XML)
    root.Lang = String(mark("lang"))
    root.PieceInfo = _piece(made, mark("root-piece"))
    root.OpenAction = Dictionary(S=Name.JavaScript, JS=String(mark("javascript")))
    root.Outlines = made.make_indirect(Dictionary(Title=String(mark("outline"))))
    figure = Dictionary(S=Name.Figure, Alt=String(mark("alt-text")))
    root.StructTreeRoot = made.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=figure))
    root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=String(mark("page-label")))]))
    root.OutputIntents = Array([Dictionary(Info=String(mark("output-intent")))])
    made.attachments["notes.txt"] = mark("attachment").encode()
    made.attachments[mark("attachment-name")] = b"x"
    made.trailer.ID = Array([String(mark("trailer-id")), String(mark("trailer-id"))])
    kept = io.BytesIO()
    made.save(kept, fix_metadata_version=False)
    return kept.getvalue()


def _piece(made, word: str) -> Dictionary:
    return Dictionary(Drawing=Dictionary(Private=Stream(made, word.encode()), LastModified=String(word)))


def _page(made, page, mark: Callable[[str], str]) -> None:
    profile = Stream(made, mark("colour-profile").encode(), N=3)
    photo = Stream(
        made, jpeg(mark), Type=Name.XObject, Subtype=Name.Image, Width=60, Height=40, BitsPerComponent=8,
        ColorSpace=Array([Name.ICCBased, profile]), Filter=Name.DCTDecode,
        Metadata=Stream(made, mark("image-metadata").encode()),
        PieceInfo=_piece(made, mark("image-piece")),
        Alternates=Array([Dictionary(Image=Stream(made, mark("image-alternate").encode()))]),
    )  # fmt: skip
    form = Stream(
        made, f"% {mark('form-comment')}\n0 0 1 rg 0 0 10 10 re f".encode(),
        Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 10, 10]),
        LastModified=String(mark("form-modified")), PieceInfo=_piece(made, mark("form-piece")),
        Metadata=Stream(made, mark("form-metadata").encode()), Name=_named(mark("form-name")),
        Resources=Dictionary(Properties=Dictionary(P=Dictionary(Who=String(mark("form-property"))))),
    )  # fmt: skip
    hidden = Stream(made, mark("never-drawn").encode())
    page.Resources = Dictionary(
        Font=Dictionary(F1=Dictionary(
            Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Name=_named(mark("font-name")),
            PieceInfo=_piece(made, mark("font-piece")),
        )),
        XObject=Dictionary(Im1=photo, Fm1=form, Unknown=hidden),
        Properties=Dictionary(MC0=Dictionary(Who=String(mark("marked-property")))),
    )  # fmt: skip
    page.Contents = Stream(made, _drawn(mark) + _plant_in_names(made, page.Resources, mark))
    page.Metadata = Stream(made, mark("page-metadata").encode())
    page.PieceInfo = _piece(made, mark("page-piece"))
    page.LastModified = String(mark("page-modified"))
    page.Thumb = Stream(made, mark("page-thumb").encode())
    page.AA = Dictionary(O=Dictionary(S=Name.JavaScript, JS=String(mark("page-action"))))
    page.StructParents, page.Tabs = 0, Name.S
    page[_named(mark("page-key"))] = 1
    page.Annots = Array([made.make_indirect(one) for one in _annotations(made, mark)])


def _plant_in_names(made, resources, mark) -> bytes:
    """Things that are drawn, under names that somebody has chosen, and with bytes behind what is seen."""
    pixels = Stream(
        made, b"\0" * 12 + mark("after-pixels").encode(), Type=Name.XObject, Subtype=Name.Image,
        Width=2, Height=2, BitsPerComponent=8, ColorSpace=Name.DeviceRGB, Intent=_named(mark("intent")),
    )  # fmt: skip
    ranges = {"Domain": Array([0, 1]), "Range": Array([0, 1] * 3)}
    program = Stream(made, f"{{ % {mark('calculator')}\n dup dup }}".encode(), FunctionType=4, **ranges)
    after_samples = b"\0" * 6 + mark("after-samples").encode()
    samples = Stream(made, after_samples, FunctionType=0, Size=Array([2]), BitsPerSample=8, **ranges)
    square = Stream(made, b"1000 0 d0 0 0 700 700 re f")
    characters = Stream(
        made,
        f"""/CIDInit /ProcSet findresource begin begincmap % {mark("map-comment")}
        /CIDSystemInfo << /Registry ({mark("map-registry")}) /Ordering (UCS) /Supplement 0 >> def
        /CMapName /{mark("map-name")} def ({mark("map-string")}) pop
        1 begincodespacerange <00> <FF> endcodespacerange
        2 beginbfchar <41> <0041> <42> <{mark("map-letters").encode("utf-16-be").hex()}> endbfchar
        endcmap""".encode(),
    )
    drawn_font = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 0, 0]),
        FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
        FirstChar=65, LastChar=65, Widths=Array([1000]), ToUnicode=characters,
        CharProcs=Dictionary({"/" + mark("glyph"): square}),
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array([65, _named(mark("glyph"))])),
    )  # fmt: skip
    other_font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=_named(mark("typeface")),
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array([65, Name.A, _named(mark("no-glyph"))])),
    )  # fmt: skip
    ink = Array([Name.Separation, _named(mark("ink")), Name.DeviceRGB, program])
    inks = Array([Name.DeviceN, Array([_named(mark("one-of-inks"))]), Name.DeviceRGB, samples])
    resources.ColorSpace = Dictionary({"/" + mark("colour-key"): ink, "/" + mark("colours-key"): inks})
    resources.ExtGState = Dictionary({"/" + mark("state-key"): Dictionary(BM=_named(mark("blend")), ca=1)})
    resources.XObject["/" + mark("image-key")] = pixels
    resources.Font["/" + mark("font-key")] = drawn_font
    resources.Font["/" + mark("other-font-key")] = other_font
    return (
        f"/{mark('state-key')} gs /{mark('colour-key')} cs 1 scn 5 5 9 9 re f\n"
        f"/{mark('colours-key')} cs 1 scn\n"
        f"q 9 0 0 9 40 5 cm /{mark('image-key')} Do Q BT /{mark('font-key')} 9 Tf 60 5 Td (A) Tj ET\n"
        f"BT /{mark('other-font-key')} 9 Tf 90 5 Td (A) Tj ET 0 0 /{mark('operand')} m n\n"
    ).encode()


def _named(word: str) -> Name:
    return Name("/" + word)


def _annotations(made, mark) -> list[Dictionary]:
    box = Array([10, 10, 30, 30])
    form = {"Type": Name.XObject, "Subtype": Name.Form, "BBox": Array([0, 0, 20, 20])}
    stamp = Stream(made, f"BT /F1 4 Tf ({mark('stamp')}) Tj ET".encode(), **form)
    drawn = f"% {mark('ink-comment')}\n1 0 0 rg 0 0 20 20 re f".encode()
    ink = Stream(made, drawn, **form, PieceInfo=_piece(made, mark("ink-piece")))
    return [
        Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=box, T=String(mark("note-author")),
                   Contents=String(mark("note-text")), Subj=String(mark("note-subject"))),
        Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=box, AP=Dictionary(N=stamp)),
        Dictionary(Type=Name.Annot, Subtype=Name.Ink, Rect=box, T=String(mark("ink-author")),
                   Contents=String(mark("ink-text")), AP=Dictionary(N=ink), F=4),
        Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=box,
                   A=Dictionary(S=Name.URI, URI=String(f"https://example.org/{mark('link')}"))),
    ]  # fmt: skip


def _drawn(mark: Callable[[str], str]) -> bytes:
    return (
        f"% {mark('content-comment')}\n"
        f"/Span <</ActualText ({mark('actual-text')}) /Alt ({mark('span-alt')})>> BDC\n"
        f"BT /F1 18 Tf 20 250 Td ({TEXT}) Tj ET EMC\n"
        f"/MC0 /MC0 DP ({mark('unknown-operator')}) unknown\n"
        "q 60 0 0 40 200 100 cm /Im1 Do Q q 1 0 0 1 300 100 cm /Fm1 Do Q\n"
    ).encode()
