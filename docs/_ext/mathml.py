"""Formulas as MathML, which browsers draw themselves: no script, no font, no image.

MathJax would be half a megabyte of script that a strict content security policy has to make room for.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode  # its LaTeX is not for readers


def _block(writer: Any, node: Any) -> None:
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
