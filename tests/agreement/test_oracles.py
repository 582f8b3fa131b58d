"""Agreement held against nltk, statsmodels and rouge-score, which others wrote and many use.

Only on their ground. Fleiss' kappa of statsmodels wants every unit judged by the same number of people; Cohen's
kappas want two judges of the same items; alpha of nltk wants two judgements or more of each unit. Where nothing
can be expected (one value throughout) ours is None, while nltk answers 1 or divides by zero, and statsmodels
answers NaN.
"""

from __future__ import annotations

import re
from collections import Counter
from math import isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.chance.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    masi_distance,
    observed_agreement,
    weighted_kappa,
)
from agreement.questions.answer_texts import rouge
from agreement.questions.stems import stem

pytestmark = pytest.mark.slow  # importing the two takes some seconds

CLOSE = 1e-9
values = st.sampled_from("abcd")
sets = st.frozensets(st.integers(0, 5), max_size=4)
#: Units judged by 2 to 5 people, some judgements missing.
gappy = st.lists(st.lists(st.none() | values, min_size=2, max_size=5), min_size=1, max_size=12)
#: The same number of judges for every unit.
full = st.integers(2, 5).flatmap(
    lambda judges: st.lists(st.lists(values, min_size=judges, max_size=judges), min_size=1, max_size=12)
)
pairs = st.lists(st.tuples(values, values), min_size=1, max_size=30)


def pairable(units: list[list[Any]]) -> list[list[Any]]:
    """The judgements that were made, of the units with two or more."""
    return [given for unit in units if len(given := [each for each in unit if each is not None]) > 1]


def nltk_alpha(units: list[list[Any]], distance: Any) -> float:
    from nltk.metrics.agreement import AnnotationTask

    rows = [(f"c{judge}", f"i{item}", each) for item, unit in enumerate(units) for judge, each in enumerate(unit)]
    return float(AnnotationTask(data=rows, distance=distance).alpha())


@given(gappy)
def test_alpha_is_nltk_s(units: list[list[str | None]]) -> None:
    from nltk.metrics import binary_distance

    made = pairable(units)
    ours = krippendorff_alpha([[each for each in unit if each is not None] for unit in units])
    tallied = krippendorff_alpha(Counter(map(tuple, made)))
    assert tallied == (None if ours is None else pytest.approx(ours, abs=CLOSE))
    if ours is None:
        assert len({each for unit in made for each in unit}) < 2
    else:
        assert ours == pytest.approx(nltk_alpha(made, binary_distance), abs=CLOSE)


@given(st.lists(st.lists(sets, min_size=2, max_size=4), min_size=1, max_size=8))
def test_alpha_of_sets_by_masi_is_nltk_s(units: list[list[frozenset[int]]]) -> None:
    from nltk.metrics import masi_distance as theirs

    ours = krippendorff_alpha(units, masi_distance)
    if ours is None:
        assert len({each for unit in units for each in unit}) == 1
        return

    def distance(one: frozenset[int], other: frozenset[int]) -> float:
        # nltk divides by the union of two empty sets, which it lacks.
        return 0.0 if one == other else float(theirs(one, other))

    assert ours == pytest.approx(nltk_alpha(units, distance), abs=CLOSE)


@given(sets, sets)
def test_masi_is_nltk_s(one: frozenset[int], other: frozenset[int]) -> None:
    from nltk.metrics import masi_distance as theirs

    if one or other:
        assert masi_distance(one, other) == pytest.approx(theirs(one, other), abs=CLOSE)


@given(pairs)
def test_cohen_s_kappa_is_nltk_s(judged: list[tuple[str, str]]) -> None:
    from nltk.metrics.agreement import AnnotationTask

    one, other = zip(*judged, strict=True)
    ours = cohen_kappa(one, other)
    rows = [(name, item, each) for name, side in (("x", one), ("y", other)) for item, each in enumerate(side)]
    task = AnnotationTask(data=rows)
    assert observed_agreement(one, other) == pytest.approx(task.avg_Ao(), abs=CLOSE)
    if ours is None:
        assert len({*one, *other}) == 1
    else:
        assert ours == pytest.approx(task.kappa(), abs=CLOSE)


@given(pairs)
def test_cohen_s_kappa_is_that_of_statsmodels(judged: list[tuple[str, str]]) -> None:
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

    one, other = zip(*judged, strict=True)
    ours = cohen_kappa(one, other)
    if ours is None:
        assert len({*one, *other}) == 1
        return
    table = np.zeros((4, 4))
    for left, right in judged:
        table["abcd".index(left), "abcd".index(right)] += 1
    # A category that nobody used makes statsmodels divide by zero in its weights of the variance, not in kappa.
    used = np.flatnonzero(table.sum(0) + table.sum(1))
    with np.errstate(all="ignore"):
        theirs = cohens_kappa(table[np.ix_(used, used)], return_results=False)
    assert ours == pytest.approx(float(theirs), abs=CLOSE)


@given(full)
def test_fleiss_kappa_is_that_of_statsmodels(units: list[list[str]]) -> None:
    import numpy as np
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs

    ours = fleiss_kappa(units)
    table = np.array([[unit.count(each) for each in "abcd"] for unit in units])
    with np.errstate(all="ignore"):
        wanted = float(theirs(table))
    if ours is None:
        assert isnan(wanted)
        assert len({each for unit in units for each in unit}) == 1
    else:
        assert ours == pytest.approx(wanted, abs=CLOSE)


numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


@given(numbers, st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa_is_that_of_statsmodels(given_: list[tuple[int, int]], weights: str) -> None:
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

    one, other = zip(*given_, strict=True)
    table = np.zeros((5, 5))
    np.add.at(table, (list(one), list(other)), 1)
    ours = weighted_kappa(one, other, quadratic=weights == "quadratic")
    if ours is None:
        assert len({*one, *other}) == 1
    else:
        theirs = float(cohens_kappa(table, wt=weights, return_results=False))
        assert ours == pytest.approx(theirs, abs=CLOSE)


answers = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(["Red", "red", "0.94", "-", "A,B", "it", "is", "λ", "x-axis", "panel", "Panels"]),
        max_size=9,
    ).map(" ".join),
)


@given(answers, answers)
def test_rouge_is_that_of_the_shared_tasks_package(gold: str, answer: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    theirs = RougeScorer(["rouge1", "rougeL"], use_stemmer=True).score(gold, answer)
    for ours, their in zip(rouge(gold, answer), (theirs["rouge1"], theirs["rougeL"]), strict=True):
        assert ours.precision == pytest.approx(their.precision, abs=CLOSE)
        assert ours.recall == pytest.approx(their.recall, abs=CLOSE)
        assert ours.f1 == pytest.approx(their.fmeasure, abs=CLOSE)


#: Beginnings and endings that the rules of the algorithm look at, in any combination.
ENDINGS = re.findall(
    r"\w+",
    "s es ies ied eed ed ing y e ational tional enci anci izer bli alli entli eli ousli ization ation ator alism "
    "iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er "
    "ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize ll l at bl iz",
)
beginnings = st.one_of(
    st.text("aeiouybcdlstzwxr1", max_size=6),
    st.sampled_from(["sk", "dy", "ly", "ty", "new", "inn", "how", "proc", "succ", "pan", "relat", "hopp", "fall"]),
)


@given(
    st.builds(
        lambda begin, ends: begin + "".join(ends), beginnings, st.lists(st.sampled_from(ENDINGS), max_size=3)
    )
)
def test_stems_are_those_of_nltk(word: str) -> None:
    from nltk.stem.porter import PorterStemmer

    assert stem(word) == PorterStemmer().stem(word)
