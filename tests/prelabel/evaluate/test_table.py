from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from table_cases import BOXES, FakeTagger, an_example, panels

from agreement.primitives.rules import Common
from annotator.prelabels.evaluate import unwatched
from panelwise.domain.annotation import Subfigure
from panelwise.domain.box import Box
from panelwise.files.jsonl import Problems
from prelabel.evaluation.paper_table.report import table_markdown, table_record, table_text
from prelabel.evaluation.paper_table.systems import (
    NamedTagger,
    detected,
    on_found,
    on_gold,
    oracles,
    split,
    unread,
)
from prelabel.evaluation.paper_table.table import (
    Category,
    Column,
    FoundBoxes,
    Inputs,
    Scoring,
    System,
    Table,
    table_of,
)
from prelabel.models.protocols import Detections
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split

GOLD = panels(A=(2, 3, 4), B=(6, 7), C=(9, 10, 11), D=())


def row(table: Table, key: str, column: Column = Column.TEST) -> float | None:
    (found,) = [each for each in table.rows if each.system.key == key]
    return found.scores[column].value


def answering(**answers: tuple[Subfigure, ...]) -> System:
    return System("own", "own", Inputs.GOLD, answers)


def test_each_column_has_its_own_figures_and_every_gold_subfigure_counts_once() -> None:
    examples = [
        an_example("f1", panels(A=(2, 3), B=(6, 7)), document="d1"),
        an_example("f2", panels(A=(2, 3)), document="d2"),
        an_example("f3", panels(A=(2, 3)), split=Split.VAL, document="d3"),
        an_example("f4", panels(A=(2, 3)), split=Split.TRAIN, document="d4"),
    ]
    right = answering(f1=panels(A=(2, 3), B=(9,)), f3=panels(A=(2, 3)))
    table = table_of(examples, [right], columns=(Column.VAL, Column.TEST, Column.ALL), resamples=50)
    # One of the two of f1 is right; f2 has no answer.
    assert row(table, "own") == pytest.approx(1 / 3)
    assert row(table, "own", Column.VAL) == 1.0
    assert row(table, "own", Column.ALL) == pytest.approx(2 / 5)
    assert (table.counts[Column.TEST].figures, table.counts[Column.TEST].compound) == (2, 1)
    assert (table.counts[Column.ALL].counted, table.counts[Column.ALL].documents) == (5, 4)


def test_oracles_are_told_without_errors_and_beside_the_paper() -> None:
    swapped = panels(A=(6, 7), B=(2, 3, 4))
    table = table_of(
        [an_example("f1", swapped), an_example("f2", GOLD)],
        oracles([an_example("f1", swapped), an_example("f2", GOLD)]),
        resamples=0,
    )
    # Both of f1 go to the wrong box.
    assert row(table, "oracle_heuristic") == pytest.approx(3 / 5)
    assert row(table, "oracle_single_span") == 1.0
    assert row(table, "oracle_single_span_heuristic") == pytest.approx(3 / 5)
    assert [each.system.paper for each in table.rows] == [(0.880, 0.908), None, (0.781, 0.755)]
    assert all(not each.errors for each in table.rows)


def test_taggers_are_asked_about_boxes_with_words_and_the_grammar_stands_beside_them() -> None:
    example = an_example("f1", GOLD)
    box, text = FakeTagger(GOLD), FakeTagger(panels(A=(6, 7), B=(6, 7), C=(6, 7)))
    systems = on_gold([example], [NamedTagger("text-crf", text), NamedTagger("box-crf", box)], unwatched)
    table = table_of([example], systems, resamples=0)
    assert [each.system.key for each in table.rows] == ["text_crf_gold", "box_crf_gold", "grammar_gold"]
    assert [each.label for each in systems[1].answers["f1"]] == ["A", "B", "C"]
    assert row(table, "box_crf_gold") == 1.0
    assert row(table, "text_crf_gold") == pytest.approx(1 / 3)
    assert [each.system.paper for each in table.rows] == [(0.710, 0.669), (0.741, 0.719), None]
    errors = table.rows[0].errors[Column.TEST]
    assert (len(errors.wrong), errors.share(Category.OTHER_PANEL)) == (2, 1.0)


def test_two_taggers_of_a_kind_are_told_apart_and_random_ones_named() -> None:
    example = an_example("f1", GOLD)
    taggers = [
        NamedTagger("box-crf", FakeTagger(GOLD)),
        NamedTagger("box-crf", FakeTagger(())),
        NamedTagger("text-crf", FakeTagger(()), untrained=True),
        NamedTagger("text-crf", FakeTagger(()), common=Common.NONE),
    ]
    systems = on_gold([example], taggers, unwatched)
    assert [(each.key, each.name) for each in systems[:4]] == [
        ("box_crf_gold", "text+box CRF (1)"),
        ("box_crf_gold_2", "text+box CRF (2)"),
        ("text_crf_gold", "text CRF, random init"),
        ("text_crf_gold_2", "text CRF + heuristic, all"),
    ]
    assert systems[2].paper == (0.478, 0.433)
    # What learnt the words that all subcaptions share did not learn as the paper's models did.
    assert systems[3].paper is None


def test_boxes_below_the_threshold_get_no_words_and_still_count_for_precision() -> None:
    example = an_example("f1", GOLD)
    boxes = [(each, 0.9) for each in GOLD[:3]] + [(GOLD[3], 0.4)]
    found = FoundBoxes("d-1", "detector", {"f1": boxes}, alignment=0.7, paper=0.793)
    systems = on_found([example], found, [NamedTagger("box-crf", FakeTagger(GOLD))], unwatched)
    assert [each.label for each in systems[0].answers["f1"]] == ["A", "B", "C"]
    table = table_of([example], systems, [found], resamples=0)
    assert row(table, "box_crf_found") == 1.0
    precision = table.boxes[0].precision[Column.TEST]
    assert (precision.ap, precision.predicted) == (pytest.approx(1.0), 4)
    assert table.boxes[0].matched[Column.TEST].f1(0.5) == pytest.approx(6 / 7)


def test_where_nothing_is_found_nothing_gets_words() -> None:
    """As in the authors' code, in which such a figure scores 0."""
    example = an_example("f1", panels(A=(2, 3)))
    found = FoundBoxes("d-1", "detector", {"f1": [(GOLD[0], 0.2)]}, alignment=0.7)
    (only, _) = on_found([example], found, [NamedTagger("box-crf", FakeTagger(GOLD))], unwatched)
    assert only.answers["f1"] == ()
    assert len(on_found([example], found, [], unwatched, grammar=False)) == 0


def test_common_tokens_leave_the_gold_as_in_the_authors_code() -> None:
    example = an_example("f1", panels(A=(0, 2, 3), B=(0, 6, 7)))
    answer = answering(f1=panels(A=(2, 3), B=(6, 7)))
    kept, left, both = (
        row(table_of([example], [answer], scoring=Scoring(common), resamples=0), "own")
        for common in (Common.NONE, Common.GOLD, Common.BOTH)
    )
    assert (kept, left, both) == (pytest.approx(0.8), 1.0, 1.0)


def test_others_who_agree_with_the_model_put_the_gold_in_doubt() -> None:
    example = an_example("f1", panels(A=(2, 3), B=(6, 7)))
    answer = answering(f1=panels(A=(9, 10), B=(9,)))
    # One of them drew only the first box.
    others = {"f1": [panels(A=(9, 10, 11)), panels(C=(6, 7))]}
    errors = table_of([example], [answer], scoring=Scoring(second=others), resamples=0).rows[0].errors[Column.TEST]
    assert [Category.ANNOTATION in each.categories for each in errors.wrong] == [True, False]
    assert (errors.judged, errors.share(Category.ANNOTATION)) == (1, 1.0)


class OneBox:
    """Finds the left half of every image, and a box beyond its edge."""

    version = "one-1"

    def detect(self, images: list[Image.Image]) -> list[Detections]:
        return [
            Detections.of([[0, 0, each.width / 2, each.height], [9e9, 0, 9e9 + 5, 5]], [0.9, 0.8], [1, 1])
            for each in images
        ]


def test_a_detector_s_boxes_are_in_the_figure_s_pixels_and_a_bad_image_is_told(tmp_path: Path) -> None:
    half = tmp_path / "half.png"
    Image.new("RGB", (400, 300), "white").save(half)
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no image")
    examples = [an_example("f1", GOLD, image=half), an_example("f2", GOLD, image=bad)]
    problems = Problems()
    found = detected(examples, OneBox(), problems, unwatched, threshold=0.7)
    assert [box.box for box, _ in found.boxes["f1"]] == [Box(0, 0, 400, 600)]
    assert unread(examples, [found]) == {"f2"}
    assert problems.count == 1
    assert 'figure "f2"' in problems.lines[0]


def test_the_weight_free_pre_labeller_has_a_row_and_its_boxes(tmp_path: Path) -> None:
    image = tmp_path / "f1.png"
    picture = Image.new("RGB", (800, 600), "white")
    for box in (BOXES["A"], BOXES["B"], BOXES["C"]):
        picture.paste((90, 90, 90), tuple(map(int, box.as_list())))
    picture.save(image)
    example = an_example("f1", GOLD, image=image)
    whole, boxes = split([example], Problems(), unwatched, processes=1)
    assert (whole.key, whole.inputs, boxes.version) == ("prelabeller", Inputs.PREDICTED, whole.version)
    assert len(boxes.chosen("f1")) == len(whole.answers["f1"]) > 0


@pytest.fixture
def whole_table() -> Table:
    examples: list[Example] = [
        an_example("f1", GOLD, document="d1"),
        an_example("f2", GOLD, split=Split.VAL, document="d2"),
        an_example("f3", GOLD, document="d3"),
    ]
    tagger = NamedTagger("box-crf", FakeTagger(GOLD[:1]))
    boxes = [(each, 0.9 - place / 10) for place, each in enumerate(GOLD)]
    found = FoundBoxes("d-1", "detector", {each.figure.id: boxes for each in examples}, alignment=0.7, paper=0.793)
    systems = [
        *oracles(examples),
        *on_gold(examples, [tagger], unwatched),
        *on_found(examples, found, [tagger], unwatched),
    ]
    return table_of(examples, systems, [found], resamples=100, notes=["of one kind | only"])


def test_the_text_has_every_part_within_80_columns(whole_table: Table) -> None:
    text = table_text(whole_table)
    assert max(map(len, text.splitlines())) <= 80
    for part in (
        "oracles + heuristic",
        "gold subfigures\n",
        "predicted subfigures (d-1)",
        "88.0/90.8",
        "COCO mAP .50:.05:.95",
        "-/79.3",
        "gold subfigures below F1 0.5",
        "paper, gold subfigures, validation",
        "note: of one kind | only",
    ):
        assert part in text
    (line,) = [each for each in text.splitlines() if each.startswith("  text+box CRF ") and "74.1/71.9" in each]
    # One of three words right on every figure: all draws are alike.
    assert line.split()[2:] == ["33.3", "33.3", "(33.3-33.3)", "74.1/71.9"]


def test_the_markdown_is_tables_of_even_rows(whole_table: Table) -> None:
    text = table_markdown(whole_table)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 15
    assert {line.count("|") for line in rows} == {6, 11}
    assert "| text+box CRF | predicted subfigures (d-1) |" in text
    assert "- of one kind | only" in text


def test_the_record_is_unrounded_and_names_every_wrong_subfigure(whole_table: Table) -> None:
    record = json.loads(json.dumps(table_record(whole_table)))
    rows = {(each["key"], each["boxes"]): each for each in record["rows"]}
    assert rows["box_crf_gold", None]["f1"]["test"]["value"] == pytest.approx(1 / 3)
    assert rows["box_crf_found", "d-1"]["paper"] == {"val": 0.699, "test": 0.675}
    assert record["columns"]["test"]["counted"] == 6
    assert record["boxes"][0]["average_precision"]["test"]["ap"] == pytest.approx(1.0)
    wrong = next(
        each for each in record["errors"]["rows"] if each["row"] == "box_crf_gold" and each["column"] == "test"
    )
    assert (wrong["wrong"], wrong["share"]["empty"], wrong["share"]["annotation"]) == (4, 1.0, None)
    assert wrong["subfigures"][0] == {"figure_id": "f1", "label": "B", "f1": 0.0, "categories": ["empty"]}
