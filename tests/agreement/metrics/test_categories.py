from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.chance import token_panels
from agreement.chance.categories import category_scores, token_alpha
from agreement.columns.raw import RawAnnotation
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.items import FigureKind, Items, QAVerdict, Verdict

LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)


def work(figure: str, name: str, *texts: Any, **more: Any) -> Annotation:
    parts = tuple(
        a_subfigure("AB"[place], box=(LEFT, RIGHT)[place], tokens=tokens) for place, tokens in enumerate(texts)
    )
    return an_annotation(a_figure(figure), annotator=name, subfigures=parts, **more)


def by_name(annotations: list[Annotation]) -> dict[str, Any]:
    return {each.name: each for each in category_scores(annotations)}


def test_accepting_and_rejecting_is_scored_over_all_annotators_and_passing_over_is_no_judgement() -> None:
    judged = {"f1": "aaa", "f2": "rrr", "f3": "aai", "f4": "ari"}
    status = {"a": Status.ACCEPTED, "r": Status.REJECTED, "i": Status.IGNORED}
    every = [
        work(figure, f"ann{place}", status=status[letter])
        for figure, letters in judged.items()
        for place, letter in enumerate(letters)
    ]
    score = by_name(every)["accept or reject"]
    assert (score.units, score.observed, score.reason) == (4, 0.75, "")
    # Shares: accepted (1 + 0 + 1 + .5) / 4, so .625² + .375² by chance.
    assert score.fleiss == pytest.approx((0.75 - 0.53125) / (1 - 0.53125))
    assert score.ac1 == pytest.approx((0.75 - 0.46875) / (1 - 0.46875))


def test_one_verdict_throughout_leaves_kappa_undefined_and_not_ac1() -> None:
    score = by_name([work("f1", "A"), work("f1", "B")])["accept or reject"]
    assert (score.observed, score.fleiss, score.ac1, score.alpha) == (1.0, None, 1.0, None)
    assert score.reason == "all gave one verdict throughout"
    assert by_name([work("f1", "A")])["accept or reject"].reason == "nothing that two judged"


def test_types_are_sets_and_pairs_are_judged_pair_by_pair() -> None:
    def items(types: set[str], verdict: Verdict) -> Items:
        return Items(FigureKind(compound=True, types=frozenset(types)), (QAVerdict("q1", verdict),))

    every = [
        work("f1", "A", items=items({"tree"}, Verdict.CORRECT)),
        work("f1", "B", items=items({"tree", "graph"}, Verdict.INCORRECT)),
        work("f2", "A", items=items({"graph"}, Verdict.CORRECT)),
        work("f2", "B", items=items({"graph"}, Verdict.CORRECT)),
    ]
    found = by_name(every)
    assert list(found) == ["accept or reject", "compound or not", "figure types", "question-answer verdicts"]
    types, verdicts = found["figure types"], found["question-answer verdicts"]
    assert (types.units, types.observed, types.fleiss) == (2, 0.5, None)
    # {tree} and {tree, graph} are 2/3 apart by MASI, so they disagree by less than two sets without overlap.
    assert types.alpha is not None
    assert 0 < types.alpha < 1
    assert (verdicts.units, verdicts.observed) == (2, 0.5)
    # Two verdicts there are, and 1/4 of them incorrect: expected 2 * 1/4 * 3/4 by Gwet.
    assert verdicts.ac1 == pytest.approx((0.5 - 0.375) / (1 - 0.375))


def test_case_and_a_plural_make_no_other_type() -> None:
    every = [
        work("f1", name, items=Items(FigureKind(types=frozenset({given}))))
        for name, given in (("A", "Neural Networks"), ("B", "neural network"))
    ]
    assert by_name(every)["figure types"].observed == 1


def test_types_named_without_a_word_on_compound_are_scored_alone() -> None:
    items = Items(FigureKind(compound=None, types=frozenset({"tree"})))
    found = category_scores([work("f1", name, items=items) for name in "AB"])
    assert [(each.name, each.units) for each in found] == [("accept or reject", 1), ("figure types", 1)]


def test_tokens_given_alike_are_full_agreement_and_swapped_ones_are_none() -> None:
    alike = token_alpha([work("f1", "A", {3, 4}, {7, 8}), work("f1", "B", {3, 4}, {7, 8})])
    assert (alike.nominal, alike.masi, alike.figures, alike.reason) == (1.0, 1.0, 1, "")
    assert alike.tokens == len(a_figure("f1").caption.counted)
    swapped = token_alpha([work("f1", "A", {3, 4}, {7, 8}), work("f1", "B", {7, 8}, {3, 4})])
    assert swapped.nominal is not None
    assert swapped.nominal < 0.6


def test_labels_do_not_matter_panels_do() -> None:
    one, other = work("f1", "A", {3, 4}, {7, 8}), work("f1", "B", {3, 4}, {7, 8})
    renamed = replace(other, subfigures=tuple(replace(part, label=f"x{part.label}") for part in other.subfigures))
    assert token_alpha([one, renamed]).nominal == 1.0


def test_what_cannot_be_compared_is_null_with_its_reason() -> None:
    alone = token_alpha([work("f1", "A", {3}), work("f2", "B", {3})])
    assert (alone.nominal, alone.reason) == (None, "no figure that two accepted in the same version")
    other = replace(work("f1", "B", {3}), figure=a_figure("f1", width=801))
    assert token_alpha([work("f1", "A", {3}), other]).figures == 0
    nothing = token_alpha([work("f1", "A"), work("f1", "B")])
    assert (nothing.nominal, nothing.reason) == (None, "all tokens were given to the same panels")
    figure = a_figure("f1")
    raw = RawAnnotation(figure, "A", "1", Status.ACCEPTED, (), (), work("f1", "A").saved_at)
    assert token_alpha([raw]).reason == "raw values are not merged"
    assert [each.name for each in category_scores([raw])] == ["accept or reject"]


def test_beyond_so_many_figures_tokens_are_left_alone_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_panels, "MOST_MERGED", 1)
    every = [work(figure, name, {3}) for figure in ("f1", "f2") for name in "AB"]
    found = token_alpha(every)
    assert (found.nominal, found.figures, found.reason) == (None, 2, "more than 1 figures")
