"""Posters that students of the story submit: PDFs with their author in the properties."""

import io

from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure

TOPICS = {
    "Tides": ("Do tides follow the moon?", "Six days at the harbour wall, one mark every hour."),
    "Ice": ("How long does ice last in salt water?", "Six glasses, a stopwatch, and too little patience."),
    "Beans": ("Do beans grow faster near a window?", "Twelve beans, three weeks, one ruler."),
    "Inés": ("Does music help while studying?", "Forty people learnt words with and without it."),
    "Jun": ("Sleep and reaction time", "A dropped ruler, before and after lunch."),
    "Kofi": ("Which bread goes mouldy first?", "Five kinds of bread on one shelf, ten days."),
    "Lise": ("Are left shoes more worn?", "Sixty pairs at the entrance, with permission."),
}


def poster(author: str) -> bytes:
    """One page with a question and a figure; what was found differs from author to author."""
    title, told = TOPICS[author]
    number = list(TOPICS).index(author)
    figure = Figure(figsize=(5.8, 8.3))
    figure.text(0.1, 0.92, title, fontsize=17, weight="bold")
    figure.text(0.1, 0.86, told, fontsize=10)
    axes = figure.add_axes((0.14, 0.42, 0.76, 0.38))
    axes.bar(range(6), [2 + (number * step + step * step) % 7 for step in range(1, 7)], color=f"C{number}")
    axes.set_xlabel("day")
    axes.set_ylabel("measured")
    figure.text(0.1, 0.3, "What we would do differently: measure more often.", fontsize=10)
    kept = io.BytesIO()
    FigureCanvasPdf(figure).print_pdf(kept, metadata={"Author": author, "CreationDate": None})
    return kept.getvalue()
