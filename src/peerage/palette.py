"""Every colour of Peerage, once: pages in light and dark, and lines of figures.

Figures read them here. The report writes them into its page as custom properties of CSS; other pages link
`report/assets/colours.css`, which `python -m peerage.palette` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

LIGHT = {
    "paper": "#faf9f6",
    "sheet": "#ffffff",
    "ink": "#1c2430",
    "muted": "#566070",
    "line": "#d8d9d6",
    "edge": "#858d98",
    "accent": "#155a9c",
    "accent-deep": "#0f4679",
    "accent-soft": "#dbe7f4",
    "on-accent": "#ffffff",
    "band-a": "#f0eee8",
    "band-b": "#ffffff",
    "mark": "#155a9c",
    "whisker": "#6b87a6",
    "warn-ink": "#7a3e00",
    "warn-paper": "#fdf0dc",
    "bad-ink": "#93201b",
    "bad-paper": "#fdecea",
    "note-ink": "#2f4a66",
    "note-paper": "#e8eff6",
}
DARK = {
    "paper": "#14171c",
    "sheet": "#1c2027",
    "ink": "#e7e9ee",
    "muted": "#a4adba",
    "line": "#3a414c",
    "edge": "#79838f",
    "accent": "#8cbcf2",
    "accent-deep": "#b5d4f8",
    "accent-soft": "#25384f",
    "on-accent": "#0f1722",
    "band-a": "#242a33",
    "band-b": "#1c2027",
    "mark": "#8cbcf2",
    "whisker": "#7089a6",
    "warn-ink": "#f6c687",
    "warn-paper": "#3a2c17",
    "bad-ink": "#f7aaa3",
    "bad-paper": "#3d1f1f",
    "note-ink": "#bcd3ec",
    "note-paper": "#223040",
}
PAGE = tuple(LIGHT)
SHEET = Path(__file__).parent / "report" / "assets" / "colours.css"

# Lines and dots of figures, to be told apart by colour-blind readers too (after P. Tol's schemes).
BLUE, ORANGE, GREEN, PURPLE, GREY = "#4477aa", "#cc8833", "#228833", "#aa3377", "#888888"
YELLOW, CYAN, INDIGO, LEAF = "#ddbb44", "#66ccee", "#222255", "#88bb77"

# For figures with six lines that cross (M. Okabe & K. Ito).
CROSSING = ("#0072b2", "#d55e00", "#56b4e9", "#cc79a7", "#009e73", "#e69f00")


def custom_properties(names: Iterable[str] = PAGE) -> str:
    """A style sheet that makes these colours custom properties of CSS, for light and for dark screens.

    >>> print(custom_properties(["ink"]))
    :root {
      color-scheme: light;
      --ink: #1c2430;
    }
    <BLANKLINE>
    @media screen and (prefers-color-scheme: dark) {
      :root {
        color-scheme: dark;
        --ink: #e7e9ee;
      }
    }
    <BLANKLINE>
    """
    chosen = list(names)
    media = "@media screen and (prefers-color-scheme: dark) {"
    dark = (f"  {line}" for line in _root("dark", DARK, chosen))
    return "\n".join([*_root("light", LIGHT, chosen), "", media, *dark, "}", ""])


def _root(scheme: str, colours: Mapping[str, str], names: Iterable[str]) -> list[str]:
    lines = [f"  --{name}: {colours[name]};" for name in names]
    return [":root {", f"  color-scheme: {scheme};", *lines, "}"]


if __name__ == "__main__":
    SHEET.write_text(custom_properties(), encoding="utf-8", newline="\n")
