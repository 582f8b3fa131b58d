"""Write docs/reference/layouts.md from the registry of layouts; with --check, only say whether it is fresh."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from panelwise.files.other_layouts import OTHER_LAYOUTS
from panelwise.formats.layout import Contents, Layout
from panelwise.formats.registry import LAYOUTS

FILE = Path(__file__).parent.parent / "docs" / "reference" / "layouts.md"
HEAD = """# Layouts of files

For leads, analysts and modellers: which command reads and writes which layout, and what a layout can't represent.
A file's layout is recognised from its content; where `--from` is given, a file of another layout is refused. What
is in each layout: [files](files.md), [formats of others](formats.md).

`agreement` stands for `agreement report`, `compare` and `consensus`, and for `prelabel evaluate` and `effort`;
`training` for `prelabel train`, `tune` and `evaluate --table`. Both read a campaign's home, too.

| layout | `--from` | `annotator import` | agreement | training | `annotator export` | lost when written |
|---|---|---|---|---|---|---|
"""
TAIL = """
Layouts that never say whose work they hold need `--annotator NAME` on import (predictions: `--model NAME`); in
`agreement` the file's name stands for it.

Predictions of another detector can be cut by `--min-score`, which says how many boxes it left out. A COCO results
array names images by the ids of a COCO file: give that with `--coco`, or compare with it as gold. Without it an
image's id is taken for a figure's id or the name of its image.

A layout without captions can't be compared with work that has words: such figures are left out and named.

## Layouts of other tools that are not read

Every command refuses a file of one of these in one line that names it. YOLO's text beside an image is not read as
its caption.

| looks like | what to do |
|---|---|
"""


def row(layout: Layout) -> Iterator[str]:
    """Yield the cells of a layout."""
    yield layout.title[0].upper() + layout.title[1:] if layout.title.startswith("a ") else layout.title
    yield f"`{layout.name}`" if layout.has_work else ""
    yield ", ".join(f"`{kind.value}`" for kind in Contents if kind in layout.contents)
    yield "yes" if layout.has_work else ""
    yield "yes" if Contents.ANNOTATIONS in layout.contents else ""
    yield ", ".join(f"`{name}`" for name in layout.written_by)
    yield layout.loses or ("nothing" if layout.written_by else "")


def others() -> str:
    """Return the rows of the layouts that are not read."""
    rows = dict.fromkeys((layout.title, layout.remedy) for layout in OTHER_LAYOUTS)
    return "".join(f"| {title} | {remedy} |\n" for title, remedy in rows)


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(f"| {' | '.join(row(layout))} |\n" for layout in LAYOUTS) + TAIL + others()


def main() -> int:
    fresh = text()
    if "--check" not in sys.argv:
        FILE.write_text(fresh, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != fresh:
        print(f"{FILE}: stale; run scripts/write_layouts.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
