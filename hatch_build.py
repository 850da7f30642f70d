"""Before a wheel is packed: .po files become .mo files (also for an editable one), the manual comes along."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # outside of a build, where tests and `make messages` use the function below
    BuildHookInterface = object

LOCALE = Path("src") / "peerage_web" / "locale"
SITE = Path("build") / "docs"  # what `make docs` has built


def compile_catalogues(root: Path) -> list[Path]:
    """The .mo files beside all .po files, made anew; entries marked as fuzzy stay out."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    made = []
    for source in sorted((root / LOCALE).glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parents[1].name)
        target = source.with_suffix(".mo")
        draft = target.with_suffix(f".{os.getpid()}")  # others may be reading the one there is
        with draft.open("wb") as file:
            write_mo(file, catalogue, use_fuzzy=False)
        draft.replace(target)
        made.append(target)
    return made


def manual(root: Path, target: str) -> dict[str, str]:
    """Where the built documentation goes: the source archive keeps it, a wheel has it inside the package."""
    if not (root / SITE / "index.html").is_file():
        return {}
    return {str(root / SITE): SITE.as_posix() if target == "sdist" else "peerage_web/manual"}


class PackageData(BuildHookInterface):  # type: ignore[type-arg]
    """What hatchling calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before anything is packed."""
        compile_catalogues(Path(self.root))
        if version != "editable":
            found = manual(Path(self.root), self.target_name)
            build_data["force_include"].update(found)
            if not found:
                self.app.display_warning(
                    "The documentation was not built, so Help is a short page: `make docs`"
                )
