from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation

from annotator.domain.adjudication import GoldSource
from annotator.domain.annotation import Status
from annotator.services.exporting import GoldTally, from_annotations, gold
from annotator.store.store import Store


def three(**change: object) -> list[object]:
    return [an_annotation(annotator=f"ann{n}", minutes=n, **change) for n in (1, 2, 3)]  # type: ignore[arg-type]


def test_annotators_who_all_agree_make_gold_of_the_median_boxes() -> None:
    boxes = [(0, 0, 400, 600), (2, 0, 404, 600), (4, 0, 402, 600)]
    annotations = [
        an_annotation(annotator=f"ann{n}", minutes=n, subfigures=(a_subfigure("A", box=box),))
        for n, box in enumerate(boxes)
    ]
    made = from_annotations(annotations)
    assert made is not None
    assert made.provenance.source is GoldSource.UNANIMOUS
    assert made.provenance.based_on == ("ann0", "ann1", "ann2")
    assert made.subfigures[0].box.as_list() == [2, 0, 402, 600]


@pytest.mark.parametrize(
    "third",
    [
        an_annotation(annotator="ann3", subfigures=(a_subfigure("A"),)),
        an_annotation(annotator="ann3", subfigures=(a_subfigure("A"), a_subfigure("C", box=(400, 0, 800, 600)))),
        an_annotation(
            annotator="ann3",
            subfigures=(
                a_subfigure("A", tokens=[4]),
                a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)),
            ),
        ),
        an_annotation(
            annotator="ann3",
            subfigures=(a_subfigure("A"), a_subfigure("B", box=(700, 0, 800, 600), tokens=(10, 12, 13))),
        ),
        an_annotation(annotator="ann3", status=Status.REJECTED, subfigures=()),
    ],
)
def test_a_difference_in_panel_label_text_box_or_status_leaves_a_figure_unresolved(third: object) -> None:
    assert from_annotations([an_annotation(), an_annotation(annotator="ann2")]) is not None
    assert from_annotations([an_annotation(), an_annotation(annotator="ann2"), third]) is None  # type: ignore[list-item]


def test_one_annotator_alone_makes_single_gold_unless_labels_repeat() -> None:
    made = from_annotations([an_annotation()])
    assert made is not None
    assert made.provenance.source is GoldSource.SINGLE
    assert from_annotations([an_annotation(subfigures=(a_subfigure(), a_subfigure()))]) is None


def test_a_later_phase_supersedes_an_annotators_earlier_work() -> None:
    later = an_annotation(phase="2", minutes=5, subfigures=(a_subfigure("A", tokens=[4]),))
    made = from_annotations([later, an_annotation()])
    assert made is not None
    assert made.subfigures == later.subfigures


def test_a_figure_passed_over_by_all_is_not_resolved() -> None:
    assert from_annotations([an_annotation(status=Status.IGNORED, subfigures=())]) is None


def test_every_figure_is_exported_or_counted(store: Store) -> None:
    figures = {
        name: a_figure(name) for name in ("adjudicated", "single", "unanimous", "open", "rejected", "bare", "off")
    }
    with store.transaction() as tx:
        for figure in figures.values():
            tx.add_figure(figure)
        tx.add_annotation(an_annotation(figures["single"]))
        for name in ("ann1", "ann2"):
            tx.add_annotation(an_annotation(figures["unanimous"], annotator=name))
            tx.add_annotation(
                an_annotation(figures["rejected"], annotator=name, status=Status.REJECTED, subfigures=())
            )
            tx.add_annotation(
                an_annotation(
                    figures["open"],
                    annotator=name,
                    subfigures=(a_subfigure(tokens=[len(name + name[-1]), int(name[-1])]),),
                )
            )
        tx.add_annotation(an_annotation(figures["adjudicated"]))
        decision = a_decision(figures["adjudicated"], subfigures=(a_subfigure("Z"),), note="seen")
        tx.add_decision(decision)
        tx.add_decision(a_decision(figures["off"], status=Status.IGNORED, subfigures=()))
    tally = GoldTally()
    records = {each.figure.id: each for each in gold(store, tally)}
    assert set(records) == {"adjudicated", "single", "unanimous"}
    assert records["adjudicated"].subfigures == decision.subfigures
    assert records["adjudicated"].provenance.note == "seen"
    assert tally.exported == dict.fromkeys(GoldSource, 1)
    assert sorted(tally.unresolved) == ["off", "open"]
    assert tally.rejected == ["rejected"]
    assert tally.untouched == 1


def test_three_annotators_of_one_mind_are_exported_whatever_their_order() -> None:
    annotations = three()
    first = from_annotations(annotations)  # type: ignore[arg-type]
    assert first == from_annotations(annotations[::-1])  # type: ignore[arg-type]
    assert first is not None
    assert replace(first) == first
