from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.chance.coefficients import cohen_kappa, weighted_kappa
from agreement.questions.judgements import count_score, judgement_score, tag_scores

people = st.sampled_from("abc")
judged = st.dictionaries(
    st.integers(0, 9).map(str), st.dictionaries(people, st.sampled_from("xy"), min_size=1), min_size=1
)
tagged = st.dictionaries(
    st.integers(0, 9).map(str),
    st.dictionaries(people, st.frozensets(st.sampled_from(["tree", "graph", "line"]), max_size=3), min_size=1),
    min_size=1,
)
numbered = st.dictionaries(
    st.integers(0, 9).map(str), st.dictionaries(people, st.integers(1, 5), min_size=1), min_size=1
)


def both(work, one: str, other: str):
    return [(each[one], each[other]) for each in work.values() if one in each and other in each]


@given(judged)
def test_two_by_two_is_cohens_kappa_on_what_both_judged(work) -> None:
    score = judgement_score("verdicts", work, "xy")
    for pair in score.pairs:
        values = both(work, *pair.annotators)
        ours, theirs = zip(*values, strict=True)
        assert pair.units == len(values)
        assert pair.kappa == pytest.approx(cohen_kappa(ours, theirs))
        assert (pair.reason == "") == (pair.kappa is not None)
    expected = [pair for pair in combinations("abc", 2) if both(work, *pair)]
    assert [pair.annotators for pair in score.pairs] == expected
    kappas = [pair.kappa for pair in score.pairs if pair.kappa is not None]
    assert score.light == (pytest.approx(sum(kappas) / len(kappas)) if kappas else None)


def test_all_together_is_told_beside_the_pairs() -> None:
    work = {"f1": {"a": "x", "b": "x"}, "f2": {"a": "x", "b": "y"}, "f3": {"a": "y", "b": "y"}, "f4": {"a": "y"}}
    score = judgement_score("verdicts", work, "xy")
    assert (score.name, score.all.units, score.all.observed) == ("verdicts", 3, pytest.approx(2 / 3))
    assert score.light == pytest.approx(0.4)


@given(tagged)
def test_tags_equal_the_plain_loop(work) -> None:
    for score in tag_scores(work):
        alike, both_gave, gave = [], [], []
        for each in work.values():
            pairs = [(score.tag in one, score.tag in other) for one, other in combinations(each.values(), 2)]
            if pairs:
                alike.append(sum(one == other for one, other in pairs) / len(pairs))
                both_gave.append(sum(one and other for one, other in pairs) / len(pairs))
                gave.append(sum(one + other for one, other in pairs) / 2 / len(pairs))
        assert score.units == len(alike)
        assert score.observed == (pytest.approx(sum(alike) / len(alike)) if alike else None)
        assert score.positive == (pytest.approx(sum(both_gave) / sum(gave)) if sum(gave) else None)
        assert score.given == sum(score.tag in tags for each in work.values() for tags in each.values())


def test_the_commonest_tag_comes_first_and_one_that_all_gave_has_no_kappa() -> None:
    tree, both_tags = frozenset({"tree"}), frozenset({"tree", "graph"})
    found = tag_scores({"f1": {"a": tree, "b": tree}, "f2": {"a": both_tags, "b": tree}})
    assert [(each.tag, each.given) for each in found] == [("tree", 4), ("graph", 1)]
    assert (found[0].observed, found[0].positive, found[0].fleiss, found[0].ac1) == (1.0, 1.0, None, 1.0)
    assert (found[1].observed, found[1].positive) == (0.5, 0.0)


@given(numbered)
def test_counts_equal_the_plain_loop(work) -> None:
    score = count_score(work)
    units = [list(combinations(each.values(), 2)) for each in work.values() if len(each) > 1]
    assert score.units == len(units)
    if not units:
        assert (score.difference, score.same, score.pairs, score.reason) == (
            None,
            None,
            (),
            "nothing that two judged",
        )
        return
    differences = [sum(abs(a - b) for a, b in pairs) / len(pairs) for pairs in units]
    same = [sum(a == b for a, b in pairs) / len(pairs) for pairs in units]
    assert score.difference == pytest.approx(sum(differences) / len(units))
    assert score.same == pytest.approx(sum(same) / len(units))
    for pair in score.pairs:
        ours, theirs = zip(*both(work, *pair.annotators), strict=True)
        assert pair.difference == pytest.approx(sum(map(abs, map(int.__sub__, ours, theirs))) / len(ours))
        assert pair.linear == weighted_kappa(ours, theirs)
        assert pair.quadratic == weighted_kappa(ours, theirs, quadratic=True)
    assert (score.linear is None) == (score.reason != "")


def test_one_count_throughout_leaves_kappa_undefined() -> None:
    score = count_score({"f1": {"a": 2, "b": 2}})
    assert (score.difference, score.same, score.linear, score.quadratic) == (0.0, 1.0, None, None)
    assert score.reason == score.pairs[0].reason == "both gave one verdict throughout"


def test_a_tag_that_one_person_alone_gave_has_no_agreement() -> None:
    (only,) = tag_scores({"f1": {"a": frozenset({"tree"})}})
    assert (only.given, only.units, only.observed, only.positive, only.fleiss, only.ac1) == (
        1,
        0,
        None,
        None,
        None,
        None,
    )
    assert only.reason == "nothing that two judged"


def test_a_tag_that_all_or_nobody_of_two_gave_says_why_it_has_no_kappa() -> None:
    tree, graph = frozenset({"tree"}), frozenset({"graph"})
    found = {each.tag: each for each in tag_scores({"f1": {"a": tree, "b": tree}, "f2": {"a": graph}})}
    assert (found["tree"].reason, found["tree"].fleiss) == ("all of those that two judged have it", None)
    assert (found["graph"].reason, found["graph"].positive) == ("none of those that two judged have it", None)
