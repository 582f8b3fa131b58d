"""Types, verdicts and answers in every layout of a report."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from builders import a_figure, an_annotation
from html_pages import check_page, numbers_in

from agreement.primitives.settings import Settings
from agreement.questions.items import item_report
from agreement.report.csv.report import report_tables
from agreement.report.html.report import report_html
from agreement.report.json.report import report_json
from agreement.report.summary import Report, report_on
from agreement.report.text.parts import WIDTH
from agreement.report.text.report import report_text
from panelwise.domain.annotation import Annotation
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict

PAIRS = {(f"f{n}", kind.name): QAItem(kind.name, "Why?", kind, (), "4") for n in range(3) for kind in QAKind}
HOSTILE = "<script>alert('x')</script>"
LONG = "an annotator with a name that is as long as a sentence, or longer"


def work(
    annotator: str, figure: int, *, wrong: int = 0, answers: bool = True, types: tuple[str, ...] = ("tree",)
) -> Annotation:
    verdicts = []
    for at, kind in enumerate(QAKind):
        item = PAIRS[f"f{figure}", kind.name]
        edited = replace(item, question="Why not?") if (at + wrong) % 3 == 0 else None
        verdicts.append(QAVerdict(kind.name, Verdict.CORRECT if edited is None else Verdict.INCORRECT, edited))
    given = tuple(HumanAnswer(kind.name, "4" if at != wrong else "5") for at, kind in enumerate(QAKind))
    kind = FigureKind(wrong == 0, 2 + wrong, frozenset(types))
    items = Items(kind, tuple(verdicts), given if answers else ())
    return an_annotation(a_figure(f"f{figure}"), annotator=annotator, subfigures=(), items=items)


def reported(every: list[Annotation]) -> Report:
    found = report_on(every, Settings(resamples=5), phase="1")
    return replace(found, items=item_report(every, PAIRS))


@pytest.fixture(scope="module")
def report() -> Report:
    return reported(
        [
            *(work("ann1", n, wrong=n) for n in range(3)),
            *(work(HOSTILE, n, types=("tree", HOSTILE)) for n in range(2)),
            *(work(LONG, n, wrong=1) for n in range(1, 3)),
        ]
    )


def test_work_without_subfigures_is_told_without_boxes(report: Report) -> None:
    text = report_text(report)
    for said in (
        "judged by two or more",
        "figure type ",
        "number of subfigures",
        "verdicts ",
        "human answers",
        "Light",
    ):
        assert f"\n{said}" in text or said == "Light"
    assert "metric:" not in text
    assert "IAA" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "short forms:" in text


def test_work_with_subfigures_has_items_after_its_boxes(report: Report) -> None:
    drawn = [
        replace(an_annotation(a_figure("f9"), annotator=name), items=Items(FigureKind(True))) for name in "ab"
    ]
    text = report_text(reported(drawn))
    assert 0 < text.index("IAA") < text.index("judged by two or more") < text.index("annotations  ")


def test_one_persons_work_says_why_there_is_no_agreement() -> None:
    text = report_text(reported([work("ann1", 0)]))
    assert "no figure or pair was judged by two" in text
    assert "number of subfigures: nothing that two judged" in text
    assert "human answers" in text


def test_what_could_not_be_told_is_said() -> None:
    every = [replace(work("ann1", 0), figure=a_figure("f7"))]
    text = report_text(reported(every))
    assert "7 verdicts on pairs of no known type: name their file with --pairs" in text
    assert "7 answers to questions of no known gold answer left out" in text


def test_one_count_throughout_has_its_reason() -> None:
    text = report_text(reported([work("ann1", 0), work("ann2", 0)]))
    assert text.count("-: both gave one verdict throughout") >= 2


def test_tables_have_a_row_of_each_and_their_reasons(report: Report) -> None:
    tables = {name: list(csv.DictReader(io.StringIO(text))) for name, text in report_tables(report).items()}
    assert {row["judgement"] for row in tables["judgements.csv"]} == {
        "compound or not",
        "figure types",
        "question-answer verdicts",
    }
    (types,) = (row for row in tables["judgements.csv"] if row["judgement"] == "figure types")
    assert types["reason"] == "kappas and AC1 are undefined for sets"
    whole = [row for row in tables["judgements.csv"] if row["qa_pair_type"] == "all" and not row["annotator"]]
    assert [row["units"] for row in whole] == ["21"]
    assert [row["given"] for row in tables["types.csv"]] == ["7", "2"]
    assert [row["judged"] for row in tables["edits.csv"]] == ["7"] * 7 + ["49"]
    assert tables["counts.csv"][0]["annotator"] == ""
    mean = [row for row in tables["answers.csv"] if row["qa_pair_type"] == "all"]
    assert [row["annotator"] for row in mean] == ["", HOSTILE, LONG, "ann1"]
    assert float(mean[0]["exact match"]) == pytest.approx(6 / 7)


def test_tables_of_what_nobody_judged_have_their_heads_alone() -> None:
    tables = report_tables(report_on([an_annotation()], Settings(resamples=0)))
    for name in ("judgements.csv", "counts.csv", "types.csv", "edits.csv", "answers.csv"):
        assert len(tables[name].splitlines()) == 1


def test_a_part_that_nobody_judged_is_null_with_its_reason() -> None:
    record = json.loads(report_json(reported([an_annotation(items=Items(answers=(HumanAnswer("p", "1"),)))])))
    assert record["items"]["compound"] is None
    assert record["items"]["compound_reason"] == "no annotator judged this"
    assert record["items"]["answers"]["everybody"][0]["reason"] == "no answer to a question with a gold answer"


def test_the_page_has_the_same_numbers_and_is_well_formed(report: Report) -> None:
    page = check_page(report_html(report, sources=["qa.jsonl"]))
    record = json.loads(report_json(report))
    shown = {value for value, _ in page.numbers}
    assert shown <= numbers_in(record)
    told = {score["exact_match"] for score in record["items"]["answers"]["everybody"]}
    told |= {each["rate"] for each in record["items"]["edits"]} | {record["items"]["count"]["mean_difference"]}
    told |= {each["light_kappa"] for each in record["items"]["verdicts"]} - {None}
    assert told <= shown
    for said in ("Figure types", "Question-answer pairs", "Human answers", "There are no subfigures"):
        assert said in page.text
    assert "Where agreement is lost" not in page.text


def test_a_page_of_one_persons_work_tells_what_there_is() -> None:
    every = [replace(work("ann1", 0), figure=a_figure("f7"))]
    page = check_page(report_html(reported(every)))
    assert "No pair was judged by two annotators" in page.text
    assert "7 verdicts on pairs of no known type" in page.text
    assert "7 answers to questions of no known gold answer left out" in page.text


def test_a_page_with_boxes_and_types_has_both() -> None:
    drawn = [
        replace(an_annotation(a_figure("f9"), annotator=name), items=Items(FigureKind(True))) for name in "ab"
    ]
    page = check_page(report_html(reported(drawn)))
    assert "Inter-annotator agreement" in page.text
    assert "What kind of figure it is" in page.text
