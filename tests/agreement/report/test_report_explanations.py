"""The words of a report: where kappa and F1 part, shares as in the table, no sentence without a number."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich_work import rich_work

from agreement.chance.categories import CategoryScore
from agreement.primitives.settings import Settings
from agreement.report.explanations import chance_explained
from agreement.report.full_report import full_report
from agreement.report.html.report import report_html
from agreement.report.html.wording import meaning
from agreement.report.latex.report import report_latex
from agreement.report.methods import PLAIN, methods
from agreement.report.numbers import equal_runs, percent
from agreement.report.summary import Report
from agreement.report.text.report import report_text
from agreement.trends.corrected import Corrected


@pytest.fixture(scope="module")
def report() -> Report:
    return full_report(rich_work(), Settings(resamples=50))


def verdicts(observed: float, fleiss: float | None, ac1: float) -> CategoryScore:
    return CategoryScore("accept or reject", 20, observed, fleiss, ac1, fleiss, "")


def test_a_low_kappa_beside_many_equal_verdicts_is_explained_in_every_format(report: Report) -> None:
    parted = replace(report, iaa=0.9, categories=(verdicts(0.9, -0.053, 0.89),))
    texts = (report_text(parted), report_html(parted), report_latex(parted)["explanation.tex"])
    for text in texts:
        said = " ".join(text.split())
        assert "Accept or reject: 90" in said
        assert "where one verdict prevails" in said
        assert "0.890" in said
        assert "kappa is of verdicts on whole figures" in said


def test_statistics_that_do_not_part_are_not_explained(report: Report) -> None:
    alike = replace(
        report,
        iaa=0.9,
        categories=(verdicts(0.95, 0.9, 0.92),),
        tokens=replace(report.tokens, nominal=0.89),
    )
    assert chance_explained(alike) == []
    assert chance_explained(replace(alike, iaa=None)) == []


def test_one_verdict_throughout_is_no_disagreement(report: Report) -> None:
    [said] = chance_explained(replace(report, iaa=None, categories=(verdicts(1.0, None, 1.0),)))
    assert said.startswith(
        "Accept or reject: 100% of verdicts agree, and all are the same one. Kappa and alpha are"
    )


@pytest.mark.parametrize(("alpha", "word"), [(0.5, "below"), (0.99, "above")])
def test_alpha_on_tokens_far_from_the_iaa_is_explained(report: Report, alpha: float, word: str) -> None:
    parted = replace(report, iaa=0.8, categories=(), tokens=replace(report.tokens, nominal=alpha))
    [said] = chance_explained(parted)
    assert said.startswith(f"Alpha on tokens ({alpha:.3f}) is {word} the IAA (0.800)")


def test_the_share_in_the_headline_is_that_of_the_table(report: Report) -> None:
    assert report.losses is not None
    whole = sum(report.losses.values())
    shares = {cause.display: percent(lost / whole) for cause, lost in report.losses.items() if lost}
    said = re.search(r"The largest causes? of loss \(([^)]+?)(?: each)?\): (.+)\.", meaning(report))
    assert said is not None
    assert {name: said[1] for name in said[2].split(", ")}.items() <= shares.items()
    assert "missing or extra" not in meaning(report)


def test_neighbouring_thresholds_with_equal_values_are_one_row() -> None:
    assert equal_runs([0.1, 0.3, 0.5, 0.9], [1, 1, 1, 2]) == [("0.10 to 0.50", 0), ("0.90", 3)]
    assert equal_runs([0.1, 0.3, 0.5], [1, 2, 1]) == [("0.10", 0), ("0.30", 1), ("0.50", 2)]
    assert equal_runs([], []) == []


def test_a_sentence_without_a_number_is_left_out(report: Report) -> None:
    corrected = replace(report, corrected=Corrected(2, 1, None, "nothing to count"))
    assert "with the corrected work" not in methods(corrected, PLAIN)
    assert "IAA with the corrected work" not in report_html(corrected)
    assert "with the corrected work IAA is 0.500." in methods(
        replace(report, corrected=Corrected(2, 1, 0.5, "")), PLAIN
    )
    assert "No annotations were submitted." in methods(full_report([]), PLAIN)
    empty = report_latex(full_report([]))
    assert empty["reliability.tex"] == "% No rows.\n"
    assert not re.search(r": ?\.|\(\)", methods(full_report([]), PLAIN))
