"""How well the class agrees, in figures that people of other trades know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage.report.markup import paragraphs, text

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult


def class_figures(result: GradingResult) -> str:
    """One sentence per figure."""
    sentences = result.class_figures["sentence"].to_list()
    if not sentences:
        return paragraphs("Too little was reviewed by several graders to say how well they agree.")
    rows = "\n".join(f"<li>{text(one)}</li>" for one in sentences)
    level = f"{100 * result.interval:.0f} %"
    return f'<ul class="figures-in-words">\n{rows}\n</ul>\n<p>In brackets: {level} intervals.</p>'
