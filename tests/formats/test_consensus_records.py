from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from builders import a_figure, a_subfigure, an_annotation

from agreement.consensus.figures import figure_consensus
from agreement.consensus.layout import consensus_prediction, consensus_record
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.items import FigureKind, Items
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import read_annotations, read_predictions

LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)


def work(name: str, *parts: tuple[str, Any, Any], **more: Any) -> Annotation:
    subfigures = tuple(a_subfigure(label, box=box, tokens=tokens) for label, box, tokens in parts)
    return an_annotation(a_figure(), annotator=name, subfigures=subfigures, **more)


THREE = [
    work("ann1", ("A", LEFT, {4, 5, 6, 7})),
    work("ann2", ("B", LEFT, {4, 5, 6}), minutes=3),
    work("ann3", ("A", LEFT, {4, 5, 10}), ("C", RIGHT, {12}), minutes=1, seeded_by="model-1"),
]


def test_a_record_tells_the_votes_of_every_box_label_and_run_of_tokens() -> None:
    record = consensus_record(figure_consensus(THREE), "consensus", source_phase="1", min_iou=0.5)
    ranges = a_figure().caption.ranges
    [part] = record["subfigures"]
    assert part == {
        "label": "A",
        "box": [0, 0, 400, 600],
        "subcaption": [[ranges[4][0], ranges[6][1]]],
        "score": 1.0,
        "supporters": ["ann1", "ann2", "ann3"],
        "labels": {"A": ["ann1", "ann3"], "B": ["ann2"]},
        "votes": [
            {"span": [ranges[4][0], ranges[5][1]], "annotators": ["ann1", "ann2", "ann3"]},
            {"span": list(ranges[6]), "annotators": ["ann1", "ann2"]},
            {"span": list(ranges[7]), "annotators": ["ann1"]},
            {"span": list(ranges[10]), "annotators": ["ann3"]},
        ],
        "iou": 1.0,
    }
    assert record["consensus"] == {
        "quorum": 2,
        "min_iou": 0.5,
        "phase": "1",
        "annotators": {"ann1": "accepted", "ann2": "accepted", "ann3": "accepted"},
        "differing": [],
        "below_quorum": 1,
        "reason": None,
    }
    assert (record["annotator"], record["phase"], record["status"]) == ("consensus", "consensus", "accepted")
    assert (record["saved_at"], record["seeded_by"]) == ("2026-11-21T12:03:00Z", "model-1")


def test_what_is_below_the_quorum_is_kept_on_demand_and_marked() -> None:
    record = consensus_record(figure_consensus(THREE), "all", keep_all=True, min_iou=0.5)
    assert [(part["label"], part.get("below_quorum")) for part in record["subfigures"]] == [
        ("A", None),
        ("C", True),
    ]
    tied = figure_consensus([work("ann1", ("A", LEFT, {4})), work("ann2", status=Status.REJECTED)])
    record = consensus_record(tied, "all", keep_all=True, min_iou=0.5)
    assert record["consensus"]["reason"] == "as many accepted it as rejected it"
    assert [part["below_quorum"] for part in record["subfigures"]] == [True]


def test_a_subfigure_without_text_has_no_votes() -> None:
    found = figure_consensus([work(name, ("A", LEFT, ())) for name in ("ann1", "ann2")])
    [part] = consensus_record(found, "consensus", min_iou=0.5)["subfigures"]
    assert (part["subcaption"], part["votes"]) == ([], [])


def test_guidelines_and_seeds_are_told_as_far_as_they_are_one() -> None:
    def of(*more: dict[str, Any]) -> dict[str, Any]:
        works = [work(f"ann{n}", ("A", LEFT, {4}), **each) for n, each in enumerate(more)]
        return consensus_record(figure_consensus(works), "consensus", min_iou=0.5)

    alike = of({"guideline": "2"}, {"guideline": "2"})
    assert (alike["guideline"], "seeded_by" in alike) == ("2", False)
    mixed = of({"guideline": "1", "seeded_by": "m2"}, {"guideline": "2", "seeded_by": "m1"})
    assert ("guideline" in mixed, mixed["seeded_by"]) == (False, "m1, m2")


def test_a_record_reads_back_as_an_annotation(tmp_path: Path) -> None:
    items = Items(FigureKind(True, 1, frozenset(), ""), (), ())
    record = consensus_record(figure_consensus(THREE), "consensus", min_iou=0.5, items=items)
    write_lines(tmp_path / "consensus.jsonl", [record])
    problems = Problems()
    [found] = read_annotations(tmp_path / "consensus.jsonl", problems)
    assert (problems.lines, found.annotator, found.phase) == ([], "consensus", "consensus")
    assert (found.subfigures, found.items) == ((a_subfigure("A", box=LEFT, tokens=(4, 5, 6)),), items)
    assert found.figure.caption == a_figure().caption


def test_a_prediction_has_the_share_of_supporters_as_score(tmp_path: Path) -> None:
    record = consensus_prediction(figure_consensus(THREE), "people", keep_all=True)
    assert record is not None
    write_lines(tmp_path / "predictions.jsonl", [record])
    problems = Problems()
    [found] = read_predictions(tmp_path / "predictions.jsonl", problems)
    assert (problems.lines, found.model_version, found.scores) == ([], "people", (1.0, 1 / 3))
    assert json.loads((tmp_path / "predictions.jsonl").read_text())["phase"] == "prediction"
    rejected = figure_consensus([work(name, status=Status.REJECTED) for name in ("ann1", "ann2")])
    assert consensus_prediction(rejected, "people") is None
