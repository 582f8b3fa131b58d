"""Each check finds what its page says, and nothing in work that follows the guidelines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_decision, a_figure, an_annotation
from conftest import REPOSITORY
from services.checks.examples import (
    ANSWERS,
    BELOW,
    BOXES,
    EXAMPLES,
    LEFT,
    PAIRS,
    RIGHT,
    SEVEN,
    TYPES,
    A,
    B,
    C,
    boxes,
    judged,
)

from annotator.checks.rules.catalogue import CHECKS
from annotator.checks.run import findings_of
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Phase
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAVerdict, Verdict
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations

PAGE = REPOSITORY / "docs" / "reference" / "checks.md"
#: What each check says of its example, a line each.
MESSAGES = (Path(__file__).parent / "messages.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_each_check_finds_its_example_and_its_page_says_so(check) -> None:
    work, phase = EXAMPLES[check.id]
    found = next(finding for finding in findings_of(work, phase) if finding.check == check.id)
    page = PAGE.read_text(encoding="utf-8").replace("\n  ", " ")
    assert found.severity is check.severity
    assert phase.kind in check.of
    assert f"\n- `{check.id}` ({check.severity.value}): {check.rule}" in page
    assert f"{check.id}: {found.message}" in MESSAGES


def test_checks_and_examples_are_the_same_and_ids_are_given_once() -> None:
    ids = [check.id for check in CHECKS]
    assert len(ids) == len(set(ids)) == 42
    assert set(ids) == set(EXAMPLES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in ids)


def test_the_page_tells_of_no_check_that_there_is_not() -> None:
    told = re.findall(
        r"^- `([a-z-]+)` \((?:error|warning|note)\):", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert told == [check.id for check in CHECKS]


def test_the_gravest_come_first() -> None:
    work, phase = EXAMPLES["label-not-in-caption"]
    ranks = [finding.severity.rank for finding in findings_of(work, phase)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_nothing_is_found_in_what_was_not_accepted(check) -> None:
    work, phase = EXAMPLES[check.id]
    for status in (Status.REJECTED, Status.IGNORED):
        assert findings_of(replace(work, status=status), phase) == ()


def test_a_decision_is_checked_as_an_annotation_is() -> None:
    work, _ = EXAMPLES["boxes-overlap"]
    decision = a_decision(work.figure, subfigures=work.subfigures)
    assert findings_of(decision, BOXES) == findings_of(work, BOXES) != ()


def test_work_that_follows_the_guidelines_has_no_findings() -> None:
    drawn = boxes(("A", LEFT, A), ("B", RIGHT, B), ("C", BELOW, C))
    answers = tuple(HumanAnswer(item.id, item.answer) for item in SEVEN)
    typed = Items(FigureKind(True, 3, frozenset({"Line Chart", "neural networks", "tree"})))
    assert findings_of(drawn, Phase("1", single_span=True)) == ()
    assert findings_of(judged(*SEVEN), PAIRS) == ()
    assert findings_of(an_annotation(items=typed, subfigures=()), TYPES) == ()
    assert findings_of(replace(judged(*SEVEN), items=Items(answers=answers)), ANSWERS) == ()


def test_figures_without_pairs_have_no_findings_on_these() -> None:
    items = Items(verdicts=(QAVerdict("p1", Verdict.INCORRECT),), answers=(HumanAnswer("p1", None),))
    bare = an_annotation(a_figure(), subfigures=(), items=items)
    assert findings_of(bare, PAIRS) == findings_of(bare, ANSWERS) == ()


@pytest.mark.parametrize("name", ["gold_annotations.jsonl", "annotations.jsonl"])
def test_real_work_that_was_done_with_care_has_no_findings(shared_data: Path, name: str) -> None:
    problems = Problems()
    found = [
        (each.figure.id, each.annotator, finding)
        for each in read_annotations(shared_data / name, problems)
        for finding in findings_of(each, BOXES)
    ]
    assert found == []
    assert problems.count == 0


def test_few_of_scivqas_own_pairs_are_found_fault_with(shared_data: Path) -> None:
    records = [json.loads(line) for line in (shared_data / "scivqa" / "qa.jsonl").read_text().splitlines()]
    by_figure: dict[str, list[dict[str, str]]] = {}
    for record in records:
        by_figure.setdefault(record["figure_id"], []).append(record)
    found = []
    for name, pairs in by_figure.items():
        verdicts = tuple(QAVerdict(pair["instance_id"], Verdict.CORRECT) for pair in pairs)
        work = an_annotation(a_figure(name, extra={"qa": pairs}), subfigures=(), items=Items(verdicts=verdicts))
        found += findings_of(work, PAIRS)
    assert {finding.check for finding in found if finding.severity.value == "error"} == set()
    assert sum(finding.severity.value == "warning" for finding in found) < 0.01 * len(records)
    assert sum(finding.check == "all-binary-yes" for finding in found) == 16
