"""The demo's charts and pairs: as SciVQA has them, and wrong where they are meant to be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from panelwise.domain.items import UNANSWERABLE, QAKind, Verdict
from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise.formats.scivqa import read_pairs
from panelwise_simulator.demo.questions import DemoQuestions, demo_questions, write_questions


@pytest.fixture(scope="module")
def drawn() -> list[DemoQuestions]:
    return demo_questions()


def test_the_same_seed_draws_the_same_and_another_does_not(drawn: list[DemoQuestions]) -> None:
    again, other = demo_questions()[0], demo_questions(seed=1)[0]
    assert again.image.tobytes() == drawn[0].image.tobytes()
    assert other.image.tobytes() != drawn[0].image.tobytes()
    assert other.pairs == drawn[0].pairs


def test_every_figure_has_a_pair_of_each_type(drawn: list[DemoQuestions]) -> None:
    for each in drawn:
        assert Counter(pair.kind for pair in each.pairs) == Counter(QAKind)


def test_options_and_answers_are_what_the_guidelines_ask_for(drawn: list[DemoQuestions]) -> None:
    for each in drawn:
        for verdict, pair in zip(each.truth.verdicts, each.pairs, strict=True):
            right = verdict.edited or pair
            choosing = pair.kind in (QAKind.CHOICE_VISUAL, QAKind.CHOICE_NON_VISUAL)
            assert len(right.choices) == (4 if choosing else 0)
            if choosing:
                assert set(right.answer.split(",")) <= set("ABCD")
            elif pair.kind in (QAKind.BINARY_VISUAL, QAKind.BINARY_NON_VISUAL):
                assert right.answer in ("Yes", "No")
            assert (right.answer == UNANSWERABLE) == (pair.kind is QAKind.UNANSWERABLE)


def test_some_pairs_and_types_are_wrong_and_the_truth_mends_them(drawn: list[DemoQuestions]) -> None:
    wrong = [verdict for each in drawn for verdict in each.truth.verdicts if verdict.verdict is Verdict.INCORRECT]
    pairs = {pair.id: pair for each in drawn for pair in each.pairs}
    assert len(wrong) == 6
    assert all(verdict.edited not in (None, pairs[verdict.item]) for verdict in wrong)
    mistaken = [each.figure_id for each in drawn if each.chart.first_answer != each.truth.kind]
    assert mistaken == ["chart-005", "chart-006"]


def test_what_is_written_is_read_as_scivqas(drawn: list[DemoQuestions], tmp_path: Path) -> None:
    write_questions(drawn, tmp_path)
    problems = Problems()
    figures = list(read_figures(tmp_path / "figures.jsonl", problems))
    pairs = read_pairs(tmp_path / "qa.jsonl", problems)
    assert problems.count == 0
    assert len(figures) == 6
    assert {name: len(found) for name, found in pairs.items()} == {each.figure_id: 7 for each in drawn}
    assert all((tmp_path / f"{each.figure_id}.png").is_file() for each in drawn)
