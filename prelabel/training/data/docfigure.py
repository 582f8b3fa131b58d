"""DocFigure (Jobin et al. 2019), figures of one type each: annotation/train.txt and test.txt, and images/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from panelwise.domain import Caption, Figure, FigureKind, ImportedItems
from panelwise.files import Problems, image_path
from prelabel.training.data.gold_files import GoldFigure
from prelabel.training.data.splits import SHARES, Split, split_documents

#: Where the dataset has its lists, "IMAGE, TYPE" a line, and its images.
LISTS, IMAGES = "annotation", "images"


def is_docfigure(folder: Path) -> bool:
    """Return True for the folder of the dataset."""
    return (folder / LISTS / "train.txt").is_file()


def read_docfigure(folder: Path, problems: Problems, *, seed: int = 0) -> list[GoldFigure]:
    """The figures of both lists with their types; an unreadable image or line is a problem and left out.

    test.txt is the test. Of train.txt as many figures are for validation as of the paper's, drawn with `seed`.
    """
    train = list(_listed(folder, "train", problems))
    drawn = split_documents((name for name, _ in train), seed=seed, shares={**SHARES, Split.TEST: 0.0})
    listed = [(name, label, drawn[name]) for name, label in train]
    if (folder / LISTS / "test.txt").is_file():
        listed += [(name, label, Split.TEST) for name, label in _listed(folder, "test", problems)]
    found = []
    for name, label, split in listed:
        path = image_path(folder / IMAGES, name)
        try:
            with Image.open(path) as image:
                width, height = image.size
        except OSError as error:
            problems.add(f"{path}: {error.strerror or 'is no image'}; left it out")
            continue
        imported = ImportedItems(kind=FigureKind(types=frozenset({label})))
        figure = Figure(name, name, width, height, Caption.cut(""), imported=imported)
        found.append(GoldFigure(figure, path, (), split=split))
    return found


def _listed(folder: Path, which: str, problems: Problems) -> Iterator[tuple[str, str]]:
    path = folder / LISTS / f"{which}.txt"
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        name, _, label = (part.strip() for part in line.partition(","))
        if name and label:
            yield name, label
        elif line.strip():
            problems.add(f'{path}:{number}: "{line.strip()[:60]}" is not "IMAGE, TYPE"; left it out')
