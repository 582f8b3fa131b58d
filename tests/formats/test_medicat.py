from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from builders import a_decision, a_figure, a_subfigure, golds
from hypothesis import given
from medicat_layout import medicat, written

from annotator.consensus.gold_rule import from_decision
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.box import Box
from panelwise.domain.caption import Span
from panelwise.domain.decision import Gold, GoldSource
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.medicat import gold_record, read_gold, read_medicat


def read(path: Path) -> tuple[list[Gold], list[str]]:
    problems = Problems()
    return list(read_gold(path, problems)), problems.lines


@given(golds())
def test_gold_reads_back_equal(gold: Gold) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "gold.jsonl"
        write_lines(file, [gold_record(gold)])
        assert read(file) == ([gold], [])


def test_the_published_layout_is_written() -> None:
    """What readers of the dataset rely on."""
    figure = a_figure(
        "fig_1", caption="Fig 1: (a) left lung.", image="images/fig_1-ab.png", source={"document": "doi:1"}
    )
    gold = from_decision(
        a_decision(figure, subfigures=(a_subfigure("a", tokens=[3, 4, 5]), a_subfigure("b", tokens=())))
    )
    record = gold_record(gold)
    assert record["fig_key"] == "fig-1"
    assert record["fig_uri"] == "fig-1.png"
    assert len(record["pdf_hash"]) == 40
    assert record["spans"] == record["subfigures"]
    assert record["subfigures"][0] == {
        "label": "a",
        "type": "rect",
        "points": [[0, 0], [0, 600], [400, 600], [400, 0]],
        "text": "(a)",
    }
    assert record["subfigures"][1]["text"] == ""
    assert record["subcaptions"] == {"a": [3, 4, 5]}
    assert record["tokens"][0] == {"text": "Fig", "start": 0, "end": 3, "id": 0, "ws": True}
    assert record["tokens"][1]["ws"] is False
    assert record["answer"] == "accept"
    assert record["provenance"]["source"] == "adjudicated"
    assert record["provenance"]["reviewer"] == "rev1"


def test_the_text_of_a_subfigure_is_its_spans_joined_by_a_space() -> None:
    figure = a_figure(caption="Fig 1:  (A) left lung. (B) right. Arrows: lesions.")
    part = a_subfigure("A", tokens=figure.caption.tokens_in([Span(8, 22), Span(34, 50)]))
    (written,) = gold_record(from_decision(a_decision(figure, subfigures=(part,))))["subfigures"]
    assert written["text"] == "(A) left lung. Arrows: lesions."


def test_the_sources_own_keys_win() -> None:
    source = {"pdf_hash": "f" * 40, "fig_key": "Figure1", "fig_uri": "2-Figure1-1.png"}
    record = gold_record(from_decision(a_decision(a_figure(source=source))))
    assert {key: record[key] for key in source} == source


def a_record(**change: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(gold_record(from_decision(a_decision())))), **change}


def test_spans_alone_and_null_subcaptions_are_read(tmp_path: Path) -> None:
    record = a_record(subcaptions=None)
    del record["subfigures"], record["provenance"]
    write_lines(tmp_path / "m.jsonl", [record])
    (annotation,) = read_medicat(tmp_path / "m.jsonl", Problems())
    assert [each.label for each in annotation.subfigures] == ["A", "B"]
    assert annotation.subfigures[0].box == Box(0, 0, 400, 600)
    assert not annotation.subfigures[0].subcaption
    assert (annotation.annotator, annotation.phase, annotation.status) == ("gold", "gold", Status.ACCEPTED)


def test_token_ids_need_not_be_positions(tmp_path: Path) -> None:
    record = a_record()
    for token in record["tokens"]:
        token["id"] += 100
    record["subcaptions"] = {"A": [104]}
    write_lines(tmp_path / "m.jsonl", [record])
    (gold,), problems = read(tmp_path / "m.jsonl")
    assert gold.subfigures[0].subcaption == {4}
    assert problems == []


def test_token_ids_and_filled_keys_are_read_as_other_libraries_write_them(tmp_path: Path) -> None:
    record = a_record(provenance={"source": None, "reviewer": None, "based_on": None})
    for token in record["tokens"]:
        token["id"] = float(token["id"])
    record["subcaptions"] = {"A": [4.0, "5"], "B": None}
    write_lines(tmp_path / "m.jsonl", [record])
    (gold,), problems = read(tmp_path / "m.jsonl")
    assert gold.subfigures[0].subcaption == {4, 5}
    assert gold.provenance.source is GoldSource.SINGLE
    assert problems == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"width": None}, '"width" is missing'),
        ({"answer": "perhaps"}, "give accept, reject or ignore"),
        ({"subcaptions": {"A": [999]}}, 'token 999 of 26 in subcaption "A"; re-import the caption'),
        ({"subcaptions": {"A": "4"}}, "not a list of token ids"),
        ({"subfigures": [{"label": "A", "points": [[0, 0]]}]}, "not a list of corner points"),
        ({"tokens": [{"text": "Fig", "start": 0, "end": 3, "id": [1]}]}, "not a whole number"),
        ({"subfigures": [{"label": "A", "points": [[0, 0], [10**400, 5]]}]}, "not a list of corner points"),
        ({"subfigures": [{"label": "A", "points": [[True, 0], [5, 5]]}]}, "not a list of corner points"),
        ({"tokens": [{"text": "Fig", "start": 0, "end": 3.5}]}, "not whole numbers"),
        ({"provenance": {"source": "rumour"}}, "adjudicated, unanimous or single"),
        ({"text": "cut"}, "beyond the caption"),
    ],
)
def test_a_bad_record_is_named_and_the_rest_is_read(
    tmp_path: Path, change: dict[str, Any], complaint: str
) -> None:
    write_lines(tmp_path / "m.jsonl", [a_record(**change), a_record()])
    golds_read, problems = read(tmp_path / "m.jsonl")
    assert len(golds_read) == 1
    assert len(problems) == 1
    assert problems[0].startswith(f"{tmp_path / 'm.jsonl'}:1: ")
    assert complaint in problems[0]
    again = Problems()
    assert len(list(read_medicat(tmp_path / "m.jsonl", again))) == 1
    assert again.count == 1


def test_a_box_of_zero_area_costs_only_itself(tmp_path: Path) -> None:
    record = a_record()
    record["subfigures"][1]["points"] = [[5, 0], [5, 9], [5, 3], [5, 0]]
    write_lines(tmp_path / "m.jsonl", [record])
    (gold,), problems = read(tmp_path / "m.jsonl")
    again = Problems()
    (annotation,) = read_medicat(tmp_path / "m.jsonl", again)
    assert [each.label for each in gold.subfigures] == ["A"]
    assert annotation.subfigures == gold.subfigures
    assert again.lines == problems
    (line,) = problems
    assert line.startswith(f"{tmp_path / 'm.jsonl'}:1: ")
    assert line.endswith('"subfigures[1].points" of subfigure "B" have zero area; left this subfigure out')


def test_repeated_labels_are_read_as_an_annotation_but_not_as_gold(tmp_path: Path) -> None:
    record = a_record()
    record["subfigures"][1]["label"] = "A"
    write_lines(tmp_path / "m.jsonl", [record])
    assert len(list(read_medicat(tmp_path / "m.jsonl", Problems()))) == 1
    golds_read, problems = read(tmp_path / "m.jsonl")
    assert golds_read == []
    assert 'label "A" is on more than one box' in problems[0]


def test_a_record_that_the_datasets_readers_accept_is_read(shared_data: Path, tmp_path: Path) -> None:
    record = json.loads((shared_data / "medicat_record.json").read_text())
    write_lines(tmp_path / "m.jsonl", [record])
    (annotation,) = read_medicat(tmp_path / "m.jsonl", Problems())
    assert {each.label: len(each.subcaption) for each in annotation.subfigures} == {"a": 8, "b": 7, "c": 0}
    (gold,), _ = read(tmp_path / "m.jsonl")
    written = gold_record(gold)
    for key in ("pdf_hash", "fig_key", "fig_uri", "text", "tokens", "answer"):
        assert written[key] == record[key]
    assert {each["label"]: each["points"] for each in written["subfigures"]} == {
        each["label"]: each["points"] for each in record["subfigures"]
    }


@pytest.mark.parametrize("extra", [{"kind": "photo", "text": 3, "page": 1}, {"figure_extra": "x"}, {"page": [1]}])
def test_unknown_keys_survive_whatever_their_names(tmp_path: Path, extra: dict[str, Any]) -> None:
    gold = from_decision(a_decision(a_figure(extra=extra, source={"document": "doi:10.1/x"})))
    write_lines(tmp_path / "m.jsonl", [gold_record(gold)])
    (back,), problems = read(tmp_path / "m.jsonl")
    assert problems == []
    assert back == gold


@pytest.mark.parametrize(("answer", "lines"), [("accept", 1), ("reject", 0)])
def test_an_accepted_record_without_boxes_of_any_kind_is_of_another_layout(
    tmp_path: Path, answer: str, lines: int
) -> None:
    record = a_record(answer=answer)
    del record["spans"], record["subfigures"]
    write_lines(tmp_path / "gold.jsonl", [record])
    problems = read(tmp_path / "gold.jsonl")[1]
    assert len(problems) == lines
    assert all("is it a file of another layout?" in line for line in problems)


@pytest.mark.parametrize(
    "points",
    [
        [[50, 0], [100, 50], [50, 100], [0, 50]],
        [[0, 0], [100, 0], [50, 100]],
        [[0, 0], [100, 0], [100, 100]],
        [[0, 0], [40, 0], [100, 60], [100, 100], [0, 100]],
    ],
)
def test_points_of_another_shape_are_read_as_the_rectangle_around_them_with_a_note(
    points: list[list[int]], tmp_path: Path
) -> None:
    record = gold_record(from_decision(a_decision()))
    record["subfigures"][0]["points"] = points
    (tmp_path / "gold.jsonl").write_text(json.dumps(record))
    problems = Problems()
    (gold,) = read_gold(tmp_path / "gold.jsonl", problems)
    assert gold.subfigures[0].box.as_list() == [0, 0, 100, 100]
    assert [line.rpartition(": ")[2] for line in problems.notes] == [
        "its points form no upright rectangle; read as the one around them"
    ]


@pytest.mark.parametrize(
    "points",
    [
        [[0, 0], [100, 100]],
        [[0, 0], [100, 0], [0, 100], [100, 100]],
        [[0, 0], [100, 0], [100, 100], [0, 100], [0, 0]],
        [[0, 0], [99.4, 0.3], [100, 100], [0, 100]],
    ],
)
def test_points_of_an_upright_rectangle_in_any_form_need_no_note(points: list[list[int]], tmp_path: Path) -> None:
    record = gold_record(from_decision(a_decision()))
    record["subfigures"][0]["points"] = points
    (tmp_path / "gold.jsonl").write_text(json.dumps(record))
    problems = Problems()
    (gold,) = read_gold(tmp_path / "gold.jsonl", problems)
    assert gold.subfigures[0].box.as_list() == [0, 0, 100, 100]
    assert problems.notes == []


def test_points_in_fractions_of_the_image_are_refused_with_the_cause(tmp_path: Path) -> None:
    record = gold_record(from_decision(a_decision()))
    for part in record["subfigures"]:
        part["points"] = [[0, 0], [0, 1], [0.5, 1], [0.5, 0]]
    (tmp_path / "gold.jsonl").write_text(json.dumps(record))
    found, problems = read(tmp_path / "gold.jsonl")
    assert found == []
    assert 'gold.jsonl:1: "subfigures" holds only boxes within 0 to 1' in problems[0]


def read_all(folder: Path, record: dict[str, Any]) -> tuple[list[Annotation], list[str]]:
    problems = Problems()
    return list(read_medicat(written(folder / "m.jsonl", record), problems)), problems.lines


def test_points_may_be_texts_and_any_other_shape_is_named(tmp_path: Path) -> None:
    parts = medicat(1)["spans"]
    texts = [{**part, "points": [[str(x), f"{y}.0"] for x, y in part["points"]]} for part in parts]
    (plain,), problems = read_all(tmp_path, medicat(1, spans=texts))
    assert [part.box.as_list() for part in plain.subfigures] == [[0, 0, 40, 40], [50, 0, 100, 40]]
    assert problems == []
    for points in (
        [["0", "wide"], ["40", "40"]],
        [[0, 0, 0], [40, 40, 0]],
        [{"x": 0, "y": 0}],
        [0, 0, 40, 40],
        [[1, 1]],
    ):
        found, (problem,) = read_all(
            tmp_path, medicat(1, spans=[{**parts[0], "points": points}, parts[1]], subcaptions={})
        )
        assert [part.label for annotation in found for part in annotation.subfigures] == ["B"]
        assert '"spans[0].points" is not a list of corner points [x, y]' in problem


def test_tokens_that_are_not_the_captions_are_never_taken_for_its_words(tmp_path: Path) -> None:
    tokens = medicat(1)["tokens"]
    for changed, said in (
        ([{**token, "id": 0} for token in tokens], '"tokens[1].id" is 0, as of an earlier token'),
        (
            [{**tokens[0], "text": "lung"}, *tokens[1:]],
            '"tokens[0].text" is "lung", but the caption has "(" there',
        ),
        ([{**token, "start": token["start"] + 1, "end": token["end"] + 1} for token in tokens[:3]], "caption has"),
    ):
        found, (problem,) = read_all(tmp_path, medicat(1, tokens=changed, subcaptions={"A": [0]}))
        assert found == []
        assert said in problem
    for same in (
        [{**token, "text": f" {token['text']} "} for token in tokens],
        [{**token, "text": None} for token in tokens],
    ):
        (annotation,), problems = read_all(tmp_path, medicat(1, tokens=same))
        assert annotation.subfigures[0].subcaption == {0, 1, 2, 3, 4}
        assert problems == []
