"""A release of twelve figures, for the tests of releases as datasets."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from builders import a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from PIL import Image

from annotator.campaign.home import Home
from annotator.gold.release import Released, make_release
from annotator.store.store import Store
from prelabel.training.data.splits import Split

SETTINGS = """name = "Chest figures"
labels = ["A", "B", "C"]
[release]
title = "Chest figures: a | dataset"
licence = "CC-BY-4.0"
url = "https://example.org/chest"
motivation = "To test releases."
biases = "Few figures."
authors = [
  {name = "Müller", forenames = "Anna", orcid = "https://orcid.org/0000-0001-2345-6789", affiliation = "Lab"},
  {name = "Example Society"},
]
"""
LICENCES = ("CC BY 4.0", "CC-BY-NC-4.0", "", "https://creativecommons.org/publicdomain/zero/1.0/")


def release_twelve(home: Home, store: Store) -> Released:
    """Twelve figures of six articles, two annotators who differ on the first, and a model."""
    with store.transaction() as tx:
        for number in range(12):
            image = home.images / f"f{number}.png"
            Image.new("RGB", (800, 600), (number, 0, 0)).save(image)
            figure = a_figure(
                f"f{number}",
                image=f"images/f{number}.png",
                image_sha256=hashlib.sha256(image.read_bytes()).hexdigest(),
                document=f"doi:{number // 2}",
                source={"document": f"doi:{number // 2}", "licence": LICENCES[number % 4]},
            )
            tx.figures.add(figure)
            tx.predictions.put(a_prediction(figure))
            work = an_annotation(figure, annotator="ann1", guideline="1.1", seeded_by="classic-1")
            tx.annotations.add(work)
            drawn = work.subfigures if number else (a_subfigure("A", tokens=[4]),)
            tx.annotations.add(replace(work, annotator="ann2", subfigures=drawn))
        tx.decisions.add(a_decision(tx.figures.get("f0"), based_on=("ann1",)))
    return make_release(home, store, "pilot", images=True)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_rows(folder: Path) -> list[dict[str, Any]]:
    return [row for split in Split for row in lines(folder / f"data/gold-{split}.jsonl")]
