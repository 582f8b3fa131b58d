"""Write docs/index.md, the pages by role, from zensical.toml; with --check, only say whether it is fresh."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent
DOCS = REPOSITORY / "docs"
FILE = DOCS / "index.md"
HEAD = """# Panelwise

Panelwise takes a lab from articles, figures and captions to trusted gold data: which box is which subfigure of a
compound figure, and which words of the caption describe it. Begin with the [tutorial](tutorial.md).
"""


def pages(entries: list[Any], depth: int = 0) -> Iterator[tuple[int, str]]:
    """The headings and pages of a navigation, with their depth."""
    for entry in entries:
        if isinstance(entry, str):
            yield depth, entry
        else:
            for heading, below in entry.items():
                yield depth, heading
                yield from pages(below, depth + 1)


def navigation() -> list[tuple[int, str]]:
    project = tomllib.loads((REPOSITORY / "zensical.toml").read_text(encoding="utf-8"))["project"]
    return list(pages(project["nav"]))


def title(page: str) -> str:
    """The first heading of a page."""
    with (DOCS / page).open(encoding="utf-8") as file:
        return next(line.removeprefix("# ").strip() for line in file if line.startswith("# "))


def text() -> str:
    """The whole page: a section for each role, with its pages in their order."""
    lines = [HEAD]
    for depth, entry in navigation():
        if not entry.endswith(".md"):
            lines += ["", f"{'#' * (depth + 2)} {entry}", ""]
        elif entry != FILE.name:
            lines.append(f"- [{title(entry)}]({entry})")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def main() -> int:
    fresh = text()
    if "--check" not in sys.argv:
        FILE.write_text(fresh, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != fresh:
        print(f"{FILE}: stale; run scripts/write_index.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
