"""Whatever befalls a file, readers tell it in a line and lose nothing good. 20,000 cases in `make soak`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation
from damage import Reader, check, damaged
from hypothesis import HealthCheck, given, settings

from agreement.reading.raw_panels import read_raw_annotations, read_raw_medicat
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAVerdict, Verdict
from panelwise.files.jsonl import Problems, read_lines
from panelwise.formats.annotations import annotation_record, prediction_record, read_annotations, read_predictions
from panelwise.formats.figures import figure_record, read_figures
from panelwise.formats.medicat import gold_record, read_gold, read_medicat

FIGURES = [a_figure(f"f{number}", references=("See Fig. 1.",), extra={"licence": "CC0"}) for number in range(4)]
ITEMS = Items(
    FigureKind(True, 2, frozenset({"line chart"}), ""),
    (QAVerdict("q1", Verdict.CORRECT, None, "fine"),),
    (HumanAnswer("q1", "yes", ""),),
)
ANNOTATIONS = [
    an_annotation(figure, annotator=name, items=ITEMS, seconds=12.5)
    for figure, name in zip(FIGURES, ("ann1", "ann2", "ann1", "ann3"), strict=True)
]
GOLDS = [
    Gold(
        figure,
        Status.ACCEPTED,
        (a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))),
        Provenance(GoldSource.ADJUDICATED, "rev1", ("ann1",), ANNOTATIONS[0].saved_at, "note"),
        ITEMS,
    )
    for figure in FIGURES
]
RELEASE = [
    {
        "pdf_hash": f"{number}" * 8,
        "fig_key": "Figure1",
        "fig_uri": "2-Figure1-1.png",
        "s2_caption": "Fig. 1. (A) Lung. (B) Heart.",
        "s2orc_references": ["See Fig 1."],
        "oa_info": {"doi": "10.1/x"},
    }
    for number in range(4)
]


def lines(path: Path, problems: Problems) -> Iterator[Any]:
    for line in read_lines(path, problems):
        yield dict(line.record)


READERS = [
    Reader("lines", [{"a": 1, "b": ["é😀", None]}, {"a": {"b": 2.5}}, {"c": "x" * 50}], lines),
    Reader("figures", [figure_record(figure) for figure in FIGURES], read_figures),
    Reader("release", RELEASE, read_figures),
    Reader("annotations", [annotation_record(each) for each in ANNOTATIONS], read_annotations),
    Reader("raw annotations", [annotation_record(each) for each in ANNOTATIONS], read_raw_annotations),
    Reader("predictions", [prediction_record(a_prediction(figure)) for figure in FIGURES], read_predictions),
    Reader("gold", [msgspec.to_builtins(gold_record(each)) for each in GOLDS], read_gold),
    Reader("medicat", [msgspec.to_builtins(gold_record(each)) for each in GOLDS], read_medicat),
    Reader("raw medicat", [msgspec.to_builtins(gold_record(each)) for each in GOLDS], read_raw_medicat),
]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damage_is_told_and_costs_nothing_good(reader: Reader) -> None:
    with tempfile.TemporaryDirectory() as folder:

        @given(damaged(reader))
        @settings(suppress_health_check=list(HealthCheck))
        def survives(case: Any) -> None:
            check(reader, case, Path(folder))

        survives()
