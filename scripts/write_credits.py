"""Write the CREDITS of a detector that was trained on composed figures: every picture they may be made of.

    python scripts/write_credits.py PICTURES prelabel/weights/panel-net/CREDITS.csv

PICTURES: the folder of `prelabel compose`; the pictures are those of its part "train". One line a picture: its id,
source (repository@commit:path, or package==version:path), licence, creator (the credit in its caption, else the
contributors of the source), and what was changed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from panelwise.files.jsonl import Problems
from panelwise.files.tables import csv_rows
from panelwise_simulator.composer.pictures import Part, Picture, read_pictures

COLUMNS = ("picture", "source", "licence", "creator", "changes")
CHANGES = "cropped, scaled, recoloured and placed as a panel of composed figures to train on; not in this package"
_LABEL = re.compile(r"^credits?\b\s*:?\s*", re.IGNORECASE)


def rows(pictures: list[Picture]) -> Iterator[tuple[str, ...]]:
    """Yield the lines, by picture."""
    for picture in sorted(pictures, key=lambda picture: picture.picture_id):
        creator = creator_of(picture.credit) or f"contributors of {picture.origin}"
        yield picture.picture_id, picture.source, picture.licence, creator, CHANGES


def creator_of(credit: str) -> str:
    """Return the credit of a caption on one line, without the word and the bracket around it."""
    text = " ".join(_LABEL.sub("", credit).split()).rstrip(".")
    return text[:-1] if text.count(")") > text.count("(") and text.endswith(")") else text


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    pictures = read_pictures(given.pictures, Problems(report=print), Part.TRAIN)
    given.out.write_text(csv_rows([COLUMNS, *rows(pictures)], line_end="\n"), encoding="utf-8", newline="")
    print(f"{given.out}: {len(pictures)} pictures of {len({picture.origin for picture in pictures})} sources")


if __name__ == "__main__":
    main()
