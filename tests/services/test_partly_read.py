"""Work of which a part could not be read: it is marked, makes no gold without a reviewer, and says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from items_cases import CAMPAIGN as ITEMS_CAMPAIGN
from items_cases import a_qa_figure, judged, kinds, verdicts

from agreement.reading.parquet import parquet_columns
from annotator.adjudication import adjudicate_many
from annotator.consensus.differences import figure_differences
from annotator.consensus.gold_rule import GoldTally, from_decision, gold
from annotator.gold.dataset.rows import annotation_row
from annotator.imports.exports_of_others import import_from
from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.operations.doctor import partly_read
from annotator.queue.pages import queue_page
from annotator.queue.ranking import Further, count_partly_read, score_disagreement
from annotator.store.store import Store
from label_config import names
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.decision import GoldSource
from panelwise.domain.figure import Figure
from panelwise.domain.items import Items
from panelwise.files.jsonl import Problems
from panelwise.files.parquet import WorkRow, write_parquet
from panelwise.formats.annotations import annotation_record
from panelwise.formats.medicat import gold_record

CAMPAIGN = Campaign("c", (Phase("1"),), ("A", "B"))
TWO = (a_subfigure("A"), a_subfigure("B"))
PEOPLE = ("ann1", "ann2")


def of_lines(annotation: Annotation, *, broken: bool) -> str:
    record = annotation_record(annotation)
    if broken:
        record["subfigures"][1]["box"] = [1, 2, 3]
    return json.dumps(record) + "\n"


def of_medicat(annotation: Annotation, *, broken: bool) -> str:
    record = gold_record(from_decision(a_decision(annotation.figure, subfigures=annotation.subfigures)))
    if broken:
        record["subfigures"][1]["points"] = [[1, 2]]
        record["spans"] = record["subfigures"]
    return json.dumps(record) + "\n"


def of_coco(annotation: Annotation, *, broken: bool) -> str:
    boxes = [[0, 0, 9, 9], [9, 9, 9, -1e9 if broken else 9]]
    return json.dumps(
        {
            "images": [{"id": 1, "figure_id": annotation.figure.id, "file_name": "x.png"}],
            "categories": [{"id": 1, "name": "panel"}],
            "annotations": [
                {"id": at, "image_id": 1, "category_id": 1, "bbox": box} for at, box in enumerate(boxes)
            ],
        }
    )


def of_label_studio(annotation: Annotation, *, broken: bool) -> str:
    payload = annotation_payload(annotation)
    if broken:
        boxes = [region for region in payload["result"] if region["from_name"] == names.SUBFIGURE]
        boxes[1]["value"]["rotation"] = 30
    record = {"id": 1, "completed_by": 1, **payload, "updated_at": annotation.saved_at.isoformat()}
    return json.dumps([{"id": 5, "annotations": [record], "data": task_data(annotation.figure), "meta": {}}])


LAYOUTS: Mapping[str, Callable[..., str]] = {
    "jsonl": of_lines,
    "medicat": of_medicat,
    "coco": of_coco,
    "label-studio": of_label_studio,
}


def bring(store: Store, path: Path, layout: str, annotation: Annotation, *, broken: bool) -> Problems:
    path.write_text(LAYOUTS[layout](annotation, broken=broken))
    problems, named = Problems(), {"annotator": annotation.annotator} if layout != "jsonl" else {}
    phase = {"phase": "1"} if layout in ("coco", "label-studio") else {}
    list(import_from(layout, store, CAMPAIGN, path, problems, **named, **phase))
    score_disagreement(store, CAMPAIGN)
    return problems


def sources(store: Store, campaign: Campaign = CAMPAIGN) -> tuple[list[GoldSource], list[str]]:
    tally = GoldTally()
    return [each.provenance.source for each in gold(store, campaign, tally)], tally.unresolved


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_that_lost_the_same_box_are_no_gold_until_their_work_comes_whole(
    store: Store, tmp_path: Path, layout: str
) -> None:
    figure = a_figure("f1")
    with store.transaction() as tx:
        tx.figures.add(figure)
    for name in PEOPLE:
        work = an_annotation(figure, annotator=name, subfigures=TWO)
        assert bring(store, tmp_path / "work.json", layout, work, broken=True).lines
    assert sources(store) == ([], ["f1"])
    (row,) = queue_page(store, CAMPAIGN).rows
    assert row.loss == Further.PARTLY
    with store.read() as tx:
        assert count_partly_read(tx) == 1
        assert adjudicate_many.agreed(tx, CAMPAIGN, ["f1"]) == {}
        assert {len(each.subfigures) for each in tx.annotations.all()} == {1}
    assert [finding.about for finding in partly_read(store)] == ["work"]
    for name in PEOPLE:
        work = an_annotation(figure, annotator=name, subfigures=TWO)
        assert bring(store, tmp_path / "work.json", layout, work, broken=False).lines == []
    assert sources(store) == ([GoldSource.UNANIMOUS], [])
    assert list(partly_read(store)) == []


@pytest.mark.parametrize("kind", ["types", "qa"])
def test_items_that_were_read_in_part_make_no_gold(store: Store, tmp_path: Path, kind: str) -> None:
    figure = a_qa_figure()
    items: Items = kinds(True, 2) if kind == "types" else verdicts(figure)
    with store.transaction() as tx:
        tx.figures.add(figure)
    lines = []
    for name in PEOPLE:
        record: dict[str, Any] = annotation_record(judged(figure, items, annotator=name, phase=kind))
        record["verdicts"] = [*record.get("verdicts", ()), {"instance_id": "f1-q9", "verdict": "maybe"}]
        record["verdicts"] += [{"instance_id": "f1-q8", "verdict": "Correct"}] if kind == "types" else []
        lines.append(json.dumps(record))
    (tmp_path / "work.jsonl").write_text("\n".join(lines))
    problems = Problems()
    list(import_from("jsonl", store, ITEMS_CAMPAIGN, tmp_path / "work.jsonl", problems))
    assert len(problems.lines) == len(PEOPLE)
    assert sources(store, ITEMS_CAMPAIGN) == ([], ["f1"])


def test_who_rejected_the_figure_lost_nothing_that_counts(store: Store) -> None:
    figure = a_figure("f1")
    with store.transaction() as tx:
        tx.figures.add(figure)
        for name in PEOPLE:
            work = an_annotation(figure, annotator=name, status=Status.REJECTED, subfigures=())
            tx.annotations.add(replace(work, partly_read=True))
    tally = GoldTally()
    assert list(gold(store, CAMPAIGN, tally)) == []
    assert tally.rejected == ["f1"]


def test_the_reviewer_reads_whose_share_was_read_in_part() -> None:
    figure: Figure = a_figure("f1")
    done = [an_annotation(figure, annotator=name, subfigures=TWO) for name in PEOPLE]
    assert figure_differences(done) == ()
    assert figure_differences([replace(done[0], partly_read=True), done[1]]) == (
        "work of one of 2 annotators could be read only in part; compare it with the source",
    )


def test_the_mark_survives_the_store_and_the_file(store: Store) -> None:
    work = replace(an_annotation(a_figure("f1")), partly_read=True)
    with store.transaction() as tx:
        tx.figures.add(work.figure)
        assert tx.annotations.add(work)
        assert not tx.annotations.add(work)
        assert tx.annotations.add(replace(work, partly_read=False))
        assert [each.partly_read for each in tx.annotations.history("f1", work.annotator, work.phase)] == [
            True,
            False,
        ]
    assert annotation_record(work)["partly_read"] is True


@pytest.mark.parametrize("partial", [True, False])
def test_a_table_of_a_release_says_what_was_read_in_part(tmp_path: Path, partial: bool) -> None:
    pytest.importorskip("pyarrow")
    work = [replace(an_annotation(annotator=name), partly_read=partial and name == "A") for name in ("A", "B")]
    assert write_parquet(tmp_path / "work.parquet", WorkRow, map(annotation_row, work)) == 2
    problems = Problems()
    found = parquet_columns(tmp_path / "work.parquet", problems)
    assert (found.partial.tolist(), problems.lines) == ([partial, False], [])
