"""The figures, pairs and truth of the demo campaigns, which are shipped as data.

The simulator draws them (`panelwise_simulator.demo.data`); a demo needs no simulator.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from PIL import Image

from annotator.store.store import Store
from panelwise.domain import Annotation, AnnotatorError
from panelwise.files import Problems
from panelwise.formats import read_annotations, rebased
from panelwise.runtime import whole_file

_DATA = Path(__file__).with_name("data")
#: Compound figures: figures.jsonl, annotations.jsonl and images.
FIGURES = _DATA / "figures"
#: Charts: the same, and question-answer pairs in qa.jsonl.
QUESTIONS = _DATA / "questions"


def write_sample(sample: Path, folder: Path) -> None:
    """Write a sample's records and images into a folder; a folder with figures.jsonl, written last, is complete.

    Images are shipped as lossless WebP, which is a third smaller, and written as the PNG files that figures.jsonl
    names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shipped in sorted(sample.glob("*.webp")):
        with Image.open(shipped) as image:
            image.save(folder / f"{shipped.stem}.png", compress_level=2)
    for records in sorted(sample.glob("*.jsonl")):
        if records.name != "figures.jsonl":
            shutil.copyfile(records, folder / records.name)
    with whole_file(folder / "figures.jsonl") as out:
        out.write((sample / "figures.jsonl").read_bytes())


def read_truth(folder: Path, store: Store) -> list[Annotation]:
    """Read a sample's truth, on the figures as stored. Raises AnnotatorError if the folder's file is damaged."""
    problems = Problems()
    with store.read() as tx:
        truths = [
            rebased(truth, tx.figures.get(truth.figure.id))
            for truth in read_annotations(folder / "annotations.jsonl", problems)
        ]
    if problems.count:
        raise AnnotatorError(f"{problems.lines[0]}; remove {folder.parent} and start the demo again")
    return truths
