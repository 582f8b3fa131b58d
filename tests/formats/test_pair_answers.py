"""People's answers in files of their own: beside SciVQA's pairs, or in a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from panelwise.domain.errors import FormatError
from panelwise.domain.items import HumanAnswer, QAKind
from panelwise.files.jsonl import Problems, write_lines
from panelwise.files.tables import is_table
from panelwise.formats.pair_answers import (
    answers_in_pairs,
    answers_in_table,
    articles_of_pairs,
    is_pair_file,
    read_pairs_by_key,
)


def pair(item: str, figure: str = "f1", **more: object) -> dict[str, object]:
    fields = {"qa_pair_type": QAKind.UNANSWERABLE.value, "question": "Why?", "answer_options": [], "answer": "4"}
    return {"instance_id": item, "figure_id": figure, **fields, **more}


def written(folder: Path, *records: dict[str, object]) -> Path:
    write_lines(folder / "qa.jsonl", records)
    return folder / "qa.jsonl"


def table(folder: Path, text: str) -> Path:
    file = folder / "ann7.csv"
    file.write_bytes(text.encode())
    return file


def test_a_file_of_pairs_is_told_by_its_records_and_a_table_by_its_name(tmp_path: Path) -> None:
    assert is_pair_file(written(tmp_path, pair("p1")))
    assert not is_pair_file(written(tmp_path, {"figure_id": "f1", "subfigures": []}))
    assert is_table(Path("ANSWERS.CSV"))
    assert not is_table(Path("qa.jsonl"))


def test_pairs_are_read_alone_or_from_figures_and_a_broken_one_is_told(tmp_path: Path) -> None:
    inside = {"figure_id": "f2", "image_file": "f2.png", "qa": [pair("p2", figure="f2"), "nonsense"]}
    said: list[str] = []
    problems = Problems(report=said.append)
    found = read_pairs_by_key(written(tmp_path, pair("p1"), inside, pair("p3", qa_pair_type="odd")), problems)
    assert sorted(found) == [("f1", "p1"), ("f2", "p2")]
    assert problems.count == 1
    assert 'is "odd", none of the seven types' in said[0]


def test_articles_are_those_that_pairs_or_figures_name(tmp_path: Path) -> None:
    figure = {"figure_id": "f2", "source": {"document": "b"}, "qa": [pair("p2")]}
    others = [{"figure_id": "f3", "source": "c"}, {"figure_id": 4, "paper_id": "d"}, pair("p5", "f5")]
    file = written(tmp_path, pair("p1", paper_id="a"), figure, *others)
    assert articles_of_pairs(file) == {"f1": "a", "f2": "b"}


def test_a_file_without_pairs_is_a_problem(tmp_path: Path) -> None:
    said: list[str] = []
    problems = Problems(report=said.append)
    assert read_pairs_by_key(written(tmp_path, {"figure_id": "f1"}), problems) == {}
    assert "holds no question-answer pairs" in said[0]


def test_answers_beside_pairs_come_by_figure(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        pair("p1", human_prediction="5"),
        pair("p2", "f2", human_prediction=None, human_note="unclear"),
        pair("p3", human_prediction="6"),
        pair("p4"),
    )
    first, second = answers_in_pairs(file, Problems())
    assert (first.figure.id, first.annotator, first.phase) == ("f1", "human", "human-eval")
    assert first.items.answers == (HumanAnswer("p1", "5"), HumanAnswer("p3", "6"))
    assert (second.figure.id, second.items.answers) == ("f2", (HumanAnswer("p2", None, "unclear"),))


def test_a_broken_answer_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    said: list[str] = []
    problems = Problems(report=said.append)
    file = written(tmp_path, pair("p1", human_prediction=["5"]), pair("p2", human_prediction="6"))
    (only,) = answers_in_pairs(file, problems)
    assert [answer.item for answer in only.items.answers] == ["p2"]
    assert 'qa.jsonl:1: "human_prediction" holds' in said[0]


def test_pairs_that_nobody_answered_are_no_answers(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds pairs, but no answers"):
        list(answers_in_pairs(written(tmp_path, pair("p1")), Problems()))


def test_answers_of_several_people_beside_pairs_are_each_their_own(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        *(pair("p1", human_prediction=text, annotator=name) for text, name in (("5", "ann"), ("6", "ben"))),
    )
    problems = Problems()
    assert [(each.annotator, each.items.answers) for each in answers_in_pairs(file, problems)] == [
        ("ann", (HumanAnswer("p1", "5"),)),
        ("ben", (HumanAnswer("p1", "6"),)),
    ]
    assert len(read_pairs_by_key(file, problems)) == 1
    assert problems.count == 0


def test_answers_of_which_none_can_be_read_are_named_and_no_file_without_answers(tmp_path: Path) -> None:
    problems = Problems()
    assert list(answers_in_pairs(written(tmp_path, pair("p1", human_prediction=[5])), problems)) == []
    assert problems.lines[0].endswith("left this answer out")


def test_another_pair_under_one_id_is_named_and_the_first_counts(tmp_path: Path) -> None:
    problems = Problems()
    file = written(tmp_path, pair("p1"), pair("p1", question="How many?"), pair("p1", figure="f2"))
    found = read_pairs_by_key(file, problems)
    assert [found[figure, "p1"].question for figure in ("f1", "f2")] == ["Why?", "Why?"]
    assert 'qa.jsonl:2: "instance_id" is "p1", as of another pair of this figure' in problems.lines[0]


KNOWN = {("f1", "p1"): None, ("f2", "p2"): None}


@pytest.mark.parametrize("head", ["instance_id,answer_pred", "note,instance_id,prediction"])
def test_a_table_is_by_whom_its_file_is_named_for(tmp_path: Path, head: str) -> None:
    cells = {"instance_id": ("p1", "p2"), "note": ("", "")}
    rows = [",".join(cells.get(name, ('"A,B"', ""))[at] for name in head.split(",")) for at in (0, 1)]
    first, second = answers_in_table(table(tmp_path, "\ufeff" + "\r\n".join([head, *rows])), KNOWN, Problems())
    assert (first.annotator, first.figure.id, first.items.answers) == ("ann7", "f1", (HumanAnswer("p1", "A,B"),))
    assert second.items.answers == (HumanAnswer("p2", None),)


def test_rows_of_unknown_pairs_and_second_answers_are_told(tmp_path: Path) -> None:
    said: list[str] = []
    problems = Problems(report=said.append)
    file = table(tmp_path, "instance_id,answer_pred\np9,1\np1,2\np1,3\n")
    (only,) = answers_in_table(file, KNOWN, problems)
    assert only.items.answers == (HumanAnswer("p1", "2"),)
    assert problems.count == 2
    assert 'ann7.csv:2: "p9" is the id of no pair' in said[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,answer\n", "has no columns instance_id and answer_pred"),
        ('"instance_id,answer\np1,x', "begins cell 1 .* is never closed"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        list(answers_in_table(table(tmp_path, text), KNOWN, Problems()))


def test_rows_that_cannot_be_read_are_named_and_the_other_answers_are_read(tmp_path: Path) -> None:
    said: list[str] = []
    file = tmp_path / "a.csv"
    file.write_bytes("Instance_ID ,answer\np1,größer\np2\np1,007\np2,NaN\np1,a,b\n".encode("latin-1"))
    first, second = answers_in_table(file, KNOWN, Problems(report=said.append))
    assert first.items.answers == (HumanAnswer("p1", "007"),)
    assert second.items.answers == (HumanAnswer("p2", None),)
    assert [line.removeprefix(f"{file}:") for line in said] == [
        "2: not UTF-8 (byte 25); save the table as UTF-8",
        "3: has 1 cell, the header 2; give one for each column",
        "6: has 3 cells, the header 2; put texts with commas in quotes",
    ]


def test_answers_of_several_people_in_one_table_are_never_one_persons(tmp_path: Path) -> None:
    problems = Problems()
    rows = "instance_id;Annotator;answer_pred\np1;ann;red\np1;ben;blue\n"
    found = {
        each.annotator: each.items.answers for each in answers_in_table(table(tmp_path, rows), KNOWN, problems)
    }
    assert found == {"ann": (HumanAnswer("p1", "red"),), "ben": (HumanAnswer("p1", "blue"),)}
    assert problems.lines == []


@pytest.mark.parametrize("blank", ["", "  ", "NaN", "<NA>"])
@pytest.mark.parametrize("column", ["annotator", "Annotator_ID", "rater_id"])
def test_a_row_without_an_annotator_is_refused_where_a_column_names_them(
    tmp_path: Path, column: str, blank: str
) -> None:
    problems = Problems()
    file = table(tmp_path, f"instance_id,{column},answer\np1,ann,red\np2,{blank},grey\np2,ben,blue\n")
    found = [(each.annotator, each.items.answers) for each in answers_in_table(file, KNOWN, problems)]
    assert found == [("ann", (HumanAnswer("p1", "red"),)), ("ben", (HumanAnswer("p2", "blue"),))]
    assert problems.lines == [
        f"{file}:3: no annotator in the column of annotators; name one, or remove the column"
    ]


def test_a_wholly_blank_column_of_annotators_is_one_line(tmp_path: Path) -> None:
    problems = Problems()
    file = table(tmp_path, "instance_id,Annotator_ID,answer\np1,,red\np2,NaN,grey\n")
    assert list(answers_in_table(file, KNOWN, problems)) == []
    assert problems.lines == [
        f'{file}: no annotator in any of 2 rows of column "Annotator_ID"; name one, or remove the column'
    ]


def test_two_columns_that_may_be_the_answer_or_the_annotator_are_named(tmp_path: Path) -> None:
    for head in ("instance_id,prediction,Answer_Pred", "human_prediction,instance_id,prediction,answer"):
        file = table(tmp_path, f"{head}\n{','.join(['p1'] * (head.count(',') + 1))}\n")
        with pytest.raises(FormatError, match=r'csv:1: columns "\w+" and "\w+" may each be the answer; leave one'):
            list(answers_in_table(file, KNOWN, Problems()))
    file = table(tmp_path, "instance_id,answer,answer_pred,rater_id,annotator\np1,gold,mine,r1,ann\n")
    problems = Problems()
    (found,) = answers_in_table(file, KNOWN, problems)
    assert (found.annotator, found.items.answers) == ("r1", (HumanAnswer("p1", "mine"),))
    assert [line.partition(";")[0].removeprefix(f"{file}:1: ") for line in problems.notes] == [
        'columns "answer_pred" and "answer" may each be the answer',
        'columns "rater_id" and "annotator" may each be the annotator',
    ]


def test_an_answer_beside_pairs_without_an_annotator_is_refused_where_others_have_one(tmp_path: Path) -> None:
    problems = Problems()
    rows = [pair("p1", human_prediction="5", annotator=name) for name in (None, "ann")]
    file = written(tmp_path, *rows, pair("p2", human_prediction="6", annotator=" "), pair("p3"))
    (found,) = answers_in_pairs(file, problems)
    assert (found.annotator, found.items.answers) == ("ann", (HumanAnswer("p1", "5"),))
    assert [line.removeprefix(f"{file}:").partition(";")[0] for line in problems.lines] == [
        f'{number}: "annotator" is missing, and other answers of this file have one' for number in (1, 3)
    ]


def test_a_second_answer_to_a_pair_is_named_with_its_line_and_the_first_is_read(tmp_path: Path) -> None:
    problems = Problems()
    file = table(tmp_path, "instance_id,answer\np1,red\np1,blue\n")
    (found,) = answers_in_table(file, KNOWN, problems)
    assert found.items.answers == (HumanAnswer("p1", "red"),)
    assert problems.lines == [
        f'{file}:3: "p1" of figure "f1" is answered by "ann7" before ({file}:2); kept the first'
    ]
    problems = Problems()
    pairs = written(tmp_path, *(pair("p1", human_prediction=answer) for answer in ("red", "blue")))
    (found,) = answers_in_pairs(pairs, problems)
    assert found.items.answers == (HumanAnswer("p1", "red"),)
    assert [line.partition(" ")[0] for line in problems.lines] == [f"{pairs}:2:"]


def test_an_id_that_pairs_of_two_figures_have_needs_the_figure(tmp_path: Path) -> None:
    item = KNOWN["f1", "p1"]
    both = {("f1", "p1"): item, ("f9", "p1"): item}
    problems = Problems()
    assert list(answers_in_table(table(tmp_path, "instance_id,answer\np1,red\n"), both, problems)) == []
    assert "is the id of a pair of 2 figures (f1, f9); add a column figure_id" in problems.lines[0]
    named = table(tmp_path, "figure_id,instance_id,answer\nf9,p1,red\nf8,p1,red\n")
    problems = Problems()
    (found,) = answers_in_table(named, both, problems)
    assert found.figure.id == "f9"
    assert '"p1" is the id of no pair' in problems.lines[0]


def test_ids_of_answers_that_pandas_wrote_as_floats_are_those_of_the_pairs(tmp_path: Path) -> None:
    records = (pair("7", "1"), pair("7", "2"), pair("8.0", "1"))
    pairs = read_pairs_by_key(written(tmp_path, *records), Problems())
    file = table(tmp_path, "instance_id,figure_id,answer\n7.0,2.0,red\n8.0,1,grey\n9.0,1,x\n")
    problems = Problems()
    found = {
        (each.figure.id, answer.item)
        for each in answers_in_table(file, pairs, problems)
        for answer in each.items.answers
    }
    assert found == {("2", "7"), ("1", "8.0")}
    assert problems.lines == [f'{file}:4: "9.0" is the id of no pair; give its pairs with --pairs']


def test_a_column_of_answers_that_is_null_throughout_is_no_judgement(tmp_path: Path) -> None:
    """Libraries fill a missing column with null; beside other answers null is "I don't know"."""
    file = written(tmp_path, pair("p1", human_prediction=None), pair("p2", human_prediction=None))
    with pytest.raises(FormatError, match="holds pairs, but no answers"):
        list(answers_in_pairs(file, Problems()))
    file = written(tmp_path, pair("p1", human_prediction=None), pair("p2", human_prediction="4"))
    (found,) = answers_in_pairs(file, Problems())
    assert found.items.answers == (HumanAnswer("p1", None), HumanAnswer("p2", "4"))
