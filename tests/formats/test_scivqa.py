from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from builders import a_decision, a_figure, captions, names, qa_items, texts
from hypothesis import given
from hypothesis import strategies as st

from annotator.consensus.gold_rule import from_decision
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import (
    FigureKind,
    HumanAnswer,
    ImportedItems,
    Items,
    QAItem,
    QAKind,
    QAVerdict,
    Verdict,
)
from panelwise.files.json_arrays import write_records
from panelwise.files.jsonl import Fields, Problems, read_lines, write_lines
from panelwise.formats import split_items
from panelwise.formats.figures import FigureRecord, read_figures
from panelwise.formats.losses import Losses
from panelwise.formats.scivqa import (
    keeping_pairs,
    pair_record,
    read_pair,
    read_pairs,
    scivqa_record,
)

PAIR = {
    "instance_id": "q1",
    "qa_pair_type": "closed-ended finite answer set non-binary visual",
    "question": "Which bars are red?",
    "answer_options": [{"A": "left"}, {"B": "right"}],
    "answer": "B",
    "human_prediction": "A",
}
RECORD = {"figure_id": "f1", "image_file": "f1.png", "caption": "Figure 1.", "figure_type": "bar chart"}
RECORD.update({"compound": True, "figs_numb": "2", "venue": "acl", "paper_id": "p1", "split": "test"})


def stored(record: FigureRecord, image: str = "images/f1-ab.png") -> Figure:
    return Figure(
        record.figure_id,
        image,
        8,
        6,
        record.caption,
        record.references,
        record.document,
        record.source,
        record.extra,
        imported=record.imported,
    )


def read(path: Path, **more: Any) -> tuple[list[FigureRecord], list[str]]:
    problems = Problems()
    return list(read_figures(path, problems, **more)), problems.lines


def test_metadata_is_a_figures_file_and_is_written_as_it_came(tmp_path: Path) -> None:
    write_lines(tmp_path / "f.jsonl", [{**RECORD, "qa": [PAIR]}])
    (record,), problems = read(tmp_path / "f.jsonl")
    assert problems == []
    assert (record.image, record.document, record.caption.text) == ("f1.png", "p1", "Figure 1.")
    assert scivqa_record(stored(record), None, Losses("SciVQA")) == {**RECORD, "qa": [PAIR]}


def test_pairs_of_a_file_of_their_own_join_their_figures(tmp_path: Path) -> None:
    write_lines(tmp_path / "f.jsonl", [RECORD])
    rows = [
        {**PAIR, "figure_id": "f1"},
        {**PAIR, "figure_id": "f1"},
        {**PAIR, "instance_id": "q2", "figure_id": "f9"},
    ]
    (tmp_path / "q.json").write_text(json.dumps([*rows, {"instance_id": "q3", "figure_id": "f1"}]))
    (record,), problems = read(tmp_path / "f.jsonl", qa=tmp_path / "q.json")
    assert record.imported.record["qa"] == [PAIR]
    assert len(problems) == 3
    assert '"q1", as of' in problems[0]
    assert '"qa_pair_type" is missing' in problems[1]
    assert 'figure "f9"' in problems[2]
    assert [each.choices for each in stored(record).imported.pairs] == [("left", "right")]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"qa_pair_type": "riddle"}, "none of the seven types"),
        ({"instance_id": None}, '"qa[0].instance_id" is missing'),
        ({"answer_options": [{"B": "x"}]}, "is not of the kind"),
        ({"answer_options": [{"A": 1}]}, "is not of the kind"),
        ({"answer_options": "A"}, "not a list"),
        ({"answer": [3]}, "holds a list, not a text"),
    ],
)
def test_a_bad_pair_is_named_and_the_figure_comes_in(
    tmp_path: Path, change: dict[str, Any], complaint: str
) -> None:
    write_lines(tmp_path / "f.jsonl", [{**RECORD, "qa": [{**PAIR, **change}, {**PAIR, "instance_id": "q2"}]}])
    (record,), problems = read(tmp_path / "f.jsonl")
    assert [pair["instance_id"] for pair in record.imported.record["qa"]] == ["q2"]
    assert len(problems) == 1
    assert complaint in problems[0]
    assert problems[0].startswith(f"{tmp_path / 'f.jsonl'}:1: ")


@given(qa_items)
def test_a_pair_reads_back_equal(item: QAItem) -> None:
    record = json.loads(json.dumps(pair_record(item)))
    assert read_pair(Fields("f:1", record)) == item


@given(
    names,
    captions,
    st.lists(texts, max_size=2),
    st.lists(qa_items, max_size=3, unique_by=lambda item: item.id),
    st.booleans(),
)
def test_figures_with_pairs_read_back(
    name: str, caption: str, references: list[str], items: list[QAItem], array: bool
) -> None:
    figure = a_figure(
        name,
        caption=caption,
        references=tuple(references),
        document="d",
        source={"document": "d", "licence": "x"},
        extra={"venue": "acl", "qa": [pair_record(item) for item in items]},
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "s.json"
        write_records(file, [scivqa_record(figure, None, Losses("SciVQA"))], array=array)
        (record,), problems = read(file)
    assert problems == []
    back = stored(record, figure.image)
    assert back.imported.pairs == tuple(items)
    assert (back.caption, back.references, back.source) == (figure.caption, figure.references, figure.source)
    assert {**figure.record_keys, "image_file": Path(figure.image).name, "paper_id": "d"} == back.record_keys


def test_gold_edits_verdicts_types_and_answers_are_written() -> None:
    edited = QAItem("q1", "Which bar is red?", QAKind.BINARY_VISUAL, (), "Yes")
    items = Items(
        FigureKind(False, 1, frozenset({"tree", "graph"}), "odd"),
        (QAVerdict("q1", Verdict.INCORRECT, edited, "mended"), QAVerdict("q7", Verdict.CORRECT)),
        (HumanAnswer("q1", None, "unclear"),),
    )
    figure = a_figure(extra={"figure_type": "pie chart", "compound": True, "figs_numb": "3", "qa": [PAIR]})
    losses = Losses("SciVQA")
    record = scivqa_record(figure, from_decision(a_decision(figure, items=items)), losses)
    assert (record["figure_type"], record["compound"], record["figs_numb"]) == ("graph,tree", False, "1")
    first, second = record["qa"]
    assert (first["question"], first["answer"], first["answer_options"]) == ("Which bar is red?", "Yes", [])
    assert (first["verdict"], first["note"], first["human_prediction"]) == ("Incorrect.Edit", "mended", None)
    assert first["human_note"] == "unclear"
    assert second == {"instance_id": "q7", "verdict": "Correct"}
    assert record["panelwise"] == {"note": "odd"}
    assert "subfigures: 2 left out" in " ".join(losses.lines())


def test_the_real_metadata_and_pairs_are_written_as_they_came(shared_data: Path) -> None:
    folder = shared_data / "scivqa"
    records, problems = read(folder / "figures.jsonl", qa=folder / "qa.jsonl")
    assert (len(records), problems) == (100, [])
    pairs = defaultdict(list)
    for line in (folder / "qa.jsonl").read_text().splitlines():
        pair = json.loads(line)
        pairs[pair.pop("figure_id")].append(pair)
    for record, line in zip(records, (folder / "figures.jsonl").read_text().splitlines(), strict=True):
        given = json.loads(line)
        written = scivqa_record(stored(record), None, Losses("SciVQA"))
        assert written == {**given, "qa": pairs[given["figure_id"]]}
        assert list(written)[:-1] == list(given)
        assert len(stored(record).imported.pairs) == 7


def test_pairs_are_read_from_lines_and_arrays(tmp_path: Path) -> None:
    for array in (True, False):
        write_records(tmp_path / "q", [{**PAIR, "figure_id": "f1"}], array=array)
        assert read_pairs(tmp_path / "q", Problems()) == {"f1": [PAIR]}


def test_a_flat_table_is_its_figures_with_their_pairs(tmp_path: Path) -> None:
    rows = [
        {**RECORD, **PAIR},
        {**RECORD, "figure_id": "f2", **PAIR, "instance_id": "q2"},
        {**RECORD, **PAIR, "instance_id": "q3"},
        {**RECORD, **PAIR, "instance_id": "q4", "qa_pair_type": "riddle"},
    ]
    write_lines(tmp_path / "flat.jsonl", rows)
    (first, second), problems = read(tmp_path / "flat.jsonl")
    assert first.imported.record["qa"] == [PAIR, {**PAIR, "instance_id": "q3"}]
    assert second.imported.record["qa"] == [{**PAIR, "instance_id": "q2"}]
    assert scivqa_record(stored(first), None, Losses("SciVQA")) == {**RECORD, "qa": first.imported.record["qa"]}
    (problem,) = problems
    assert problem.startswith(f"{tmp_path / 'flat.jsonl'}:4:")


def test_a_flat_table_with_a_file_of_pairs_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "flat.jsonl", [{**RECORD, **PAIR}])
    with pytest.raises(FormatError, match="leave out --qa"):
        read(tmp_path / "flat.jsonl", qa=tmp_path / "flat.jsonl")


def test_the_real_tables_joined_are_the_figures_and_pairs_apart(shared_data: Path, tmp_path: Path) -> None:
    figures, pairs = shared_data / "scivqa" / "figures.jsonl", shared_data / "scivqa" / "qa.jsonl"
    of = {line.record["figure_id"]: line.record for line in read_lines(figures, Problems())}
    write_records(
        tmp_path / "flat.json",
        ({**of[line.record["figure_id"]], **line.record} for line in read_lines(pairs, Problems())),
        array=True,
    )
    flat, problems = read(tmp_path / "flat.json")
    apart, _ = read(figures, qa=pairs)
    assert problems == []
    assert {each.figure_id: msgspec.structs.replace(each, where="") for each in flat} == {
        each.figure_id: msgspec.structs.replace(each, where="") for each in apart
    }


@pytest.mark.parametrize(
    "options",
    [
        [{"A": "red"}, {"B": "blue"}],
        [{"A": "red", "B": None}, {"A": None, "B": "blue"}],
        [
            {"A": "red", "B": None, "C": None},
            {"A": None, "B": "blue", "C": None},
            {"A": None, "B": None, "C": None},
        ],
        {"A": "red", "B": "blue", "C": None},
        {"A": ["red", None], "B": [None, "blue"]},
    ],
)
def test_options_filled_with_null_by_a_data_set_library_are_the_options(tmp_path: Path, options: object) -> None:
    pair = {"instance_id": "i", "qa_pair_type": QAKind.UNANSWERABLE.value, "question": "?", "answer": "B"}
    figure = {"figure_id": "f1", "image_file": "f1.png", "image": None, "caption": "", "qa": [pair]}
    pair["answer_options"] = options  # type: ignore[assignment]
    file = tmp_path / "f.jsonl"
    write_lines(file, [figure])
    (record,), problems = read(file)
    assert problems == []
    assert [each.choices for each in stored(record).imported.pairs] == [("red", "blue")]
    assert record.imported.record["qa"][0]["answer_options"] == [{"A": "red"}, {"B": "blue"}]


@pytest.mark.parametrize(
    "options", [[{"A": "red", "B": "blue"}], [{"B": "blue"}], {"B": "blue"}, [{"A": 3}], "red"]
)
def test_options_that_are_none_cost_the_pair(tmp_path: Path, options: object) -> None:
    pair = {"instance_id": "i", "qa_pair_type": QAKind.UNANSWERABLE.value, "answer_options": options}
    file = tmp_path / "f.jsonl"
    write_lines(file, [{"figure_id": "f1", "image_file": "f1.png", "qa": [pair]}])
    (record,), problems = read(file)
    assert record.imported.record["qa"] == []
    assert "answer_options" in problems[0]


@pytest.mark.parametrize(
    ("compound", "number"), [(True, 3), ("True", "3"), ("yes", 3.0), (1, "3.0"), ("true", " 3 ")]
)
def test_an_imported_type_in_any_spelling_is_the_type(compound: object, number: object) -> None:
    extra = {"compound": compound, "figs_numb": number, "figure_type": "bar chart, NaN"}
    kind = a_figure(extra=extra).imported.kind
    assert kind is not None
    assert (kind.compound, kind.count, kind.types) == (True, 3, {"bar chart"})


def test_pairs_of_null_do_not_replace_the_stored_ones() -> None:
    there = a_figure(extra={"qa": [PAIR]})
    assert keeping_pairs(a_figure(extra={"qa": None}), there) == there
    assert keeping_pairs(a_figure(extra={"qa": []}), there).imported == ImportedItems(record={"qa": []})


def a_folder_with_pairs(folder: Path) -> Path:
    write_lines(folder / "figures.jsonl", [RECORD])
    write_lines(folder / "pairs.json", [{"figure_id": "f1", **PAIR}])
    return folder


def test_a_folders_pairs_come_with_its_figures(tmp_path: Path) -> None:
    folder = a_folder_with_pairs(tmp_path)
    (folder / "notes.json").write_text('{\n"made by": "hand"\n}', encoding="utf-8")
    (folder / "damaged.json").write_bytes(b"[{\xff")
    write_lines(folder / "judged.jsonl", [{"figure_id": "f1", **PAIR, "instance_id": "q2", "verdict": "Correct"}])
    (record,), problems = read(folder)
    assert (record.imported.record["qa"], problems) == ([PAIR], [])
    (alone,), _ = read(folder / "figures.jsonl")
    assert "qa" not in alone.record_keys


def test_two_files_of_pairs_beside_figures_are_refused_with_their_names(tmp_path: Path) -> None:
    folder = a_folder_with_pairs(tmp_path)
    write_lines(folder / "more.jsonl", [{"figure_id": "f1", **PAIR, "instance_id": "q2"}])
    with pytest.raises(FormatError, match=r"2 files of question-answer pairs \(more.jsonl, pairs.json\)"):
        read(folder)


def test_pairs_without_figures_are_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="without figures; import them with their figures"):
        read(a_folder_with_pairs(tmp_path) / "pairs.json")


def a_plain_file(folder: Path, **keys: Any) -> Path:
    write_lines(folder / "plain.jsonl", [{"figure_id": "f1", "image": "f1.png", "caption": "", **keys}])
    return folder / "plain.jsonl"


def test_a_bad_pair_of_a_plain_figure_is_named_at_its_import(tmp_path: Path) -> None:
    file = a_plain_file(tmp_path, qa=[{**PAIR, "qa_pair_type": "riddle"}, {**PAIR, "instance_id": "q2"}, "odd"])
    (record,), problems = read(file)
    assert problems == [
        f'{file}:1: "qa[0].qa_pair_type" is "riddle", none of the seven types; left this pair out of figure "f1"',
        f'{file}:1: "qa[2]" holds a text, not an object; left this pair out of figure "f1"',
    ]
    assert record.imported.record == {"qa": [{**PAIR, "instance_id": "q2"}]}
    assert [pair.id for pair in record.imported.pairs] == ["q2"]


def test_a_second_pair_of_one_id_is_named_at_its_import(tmp_path: Path) -> None:
    (record,), problems = read(a_plain_file(tmp_path, qa=[PAIR, {**PAIR, "answer": "A"}]))
    assert record.imported.record["qa"] == [PAIR]
    assert '"qa[1].instance_id" is "q1", as of an earlier pair' in problems[0]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"qa": "checked by Ann"}, '"qa" holds a text, not a list'),
        ({"qa": ["Ann", "Ben"]}, '"qa[0]" holds a text, not an object'),
        ({"figure_type": {"a": 1}}, '"figure_type" holds an object, not a list'),
        ({"figure_type": ["tree", 3]}, '"figure_type[1]" holds a number, not a text'),
        ({"compound": "perhaps"}, '"compound" is neither true nor false'),
        ({"figs_numb": "many"}, '"figs_numb" holds a text, not a whole number'),
        ({"figs_numb": 2.5}, '"figs_numb" holds 2.5, not a whole number'),
        ({"figs_numb": -1}, '"figs_numb" holds -1, which cannot be a number of subfigures'),
    ],
)
def test_own_values_under_known_keys_are_noted_and_stay(tmp_path: Path, keys: dict[str, Any], said: str) -> None:
    problems = Problems()
    (record,) = read_figures(a_plain_file(tmp_path, **keys), problems)
    assert problems.count == 0
    assert said in problems.notes[0]
    assert problems.notes[0].endswith("kept as it is, and not used")
    assert record.record_keys == keys


@pytest.mark.parametrize("value", [None, "", "nan"])
def test_missing_values_of_a_type_are_not_noted(tmp_path: Path, value: object) -> None:
    problems = Problems()
    keys = {"caption": "A curve.", "figure_type": value, "compound": value, "figs_numb": value}
    (record,) = read_figures(a_plain_file(tmp_path, **keys), problems)
    assert (problems.notes, record.imported.kind) == ([], None)


@given(
    st.dictionaries(
        st.sampled_from(["venue", "qa", "compound", "figs_numb", "figure_type", "split"]),
        st.none() | st.booleans() | st.integers() | texts | st.lists(st.just(PAIR) | texts, max_size=2),
    )
)
def test_keys_of_pairs_and_type_are_joined_as_they_came(keys: dict[str, Any]) -> None:
    extra, imported = split_items("f:1", keys)
    assert {"qa", "compound", "figs_numb", "figure_type"}.isdisjoint(extra)
    assert list(imported.joined(extra).items()) == list(keys.items())


@pytest.mark.parametrize("options", ["", " ", "nan", None, []])
def test_a_pair_without_options_may_write_any_missing_value(options: object) -> None:
    pair = {**PAIR, "qa_pair_type": "unanswerable", "answer": "", "answer_options": options}
    assert read_pair(Fields("f:1", pair)).choices == ()


def test_a_row_that_describes_its_figure_otherwise_is_named_and_its_pair_is_read(tmp_path: Path) -> None:
    rows = [{**RECORD, **PAIR, "instance_id": f"q{number}"} for number in range(4)]
    rows[2]["caption"] = "Another figure."
    file = tmp_path / "flat.json"
    file.write_text(json.dumps(rows))
    problems = Problems()
    (record,) = read_figures(file, problems)
    assert (record.caption.text, [pair.id for pair in record.imported.pairs]) == (
        "Figure 1.",
        ["q0", "q1", "q2", "q3"],
    )
    (line,) = problems.lines
    assert 'figure "f1" is described otherwise in an earlier row' in line
    assert line.endswith("kept the first, give one description")
