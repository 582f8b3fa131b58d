"""Work to be measured, in a store or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from builders import a_figure, an_annotation

from agreement.primitives.settings import Settings
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record

QUICK = Settings(resamples=10)


def put(store: Store, *annotations: Annotation) -> None:
    with store.transaction() as tx:
        for annotation in annotations:
            tx.figures.add(annotation.figure)
            tx.annotations.add(annotation)


def written(path: Path, *annotations: Annotation) -> Path:
    write_lines(path, map(annotation_record, annotations))
    return path


def two(figure: str = "f1", phase: str = "1", **more: Any) -> list[Annotation]:
    return [an_annotation(a_figure(figure, **more), annotator=name, phase=phase) for name in ("ann1", "ann2")]
