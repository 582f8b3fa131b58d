"""Reports of a crowd: hundreds of annotators, of whom most share no figure."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation
from click.testing import CliRunner

from agreement.columns.corpus import Corpus
from agreement.models.sweep import iaa_sweep
from agreement.pairs import figure_index
from agreement.pairs.figure_scores import figure_means
from agreement.pairs.pairwise import pair_scores
from agreement.primitives.rules import Common
from agreement.primitives.settings import Settings
from agreement.report import summary
from agreement.report.html.report import report_html
from agreement.report.json.report import report_record
from agreement.report.latex.report import report_latex
from agreement.report.summary import MOST_LISTED, report_on
from agreement.report.text.report import report_text
from annotator.cli.agreement.main import group
from panelwise.domain.annotation import Annotation, Status

FEW_DRAWS = Settings(resamples=20)


def crowd(people: int, *, each: int, seed: int = 0) -> list[Annotation]:
    """Half as many figures as people, each done by `each` of them; some rejected."""
    chance = random.Random(seed)
    return [
        an_annotation(
            a_figure(f"f{number}"),
            annotator=f"p{person:03}",
            status=Status.REJECTED if chance.random() < 0.1 else Status.ACCEPTED,
            subfigures=[a_subfigure("A", box=(0, 0, 400 - 10 * place, 600), tokens=range(4, 7 + place % 2))],
        )
        for number in range(people // 2)
        for place, person in enumerate(chance.sample(range(people), each))
    ]


def rounded(value: Any) -> Any:
    """NumPy adds columns of zeros in another order: the last bit may differ."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 12) if isinstance(value, float) else value


def test_pairs_without_a_figure_in_common_may_be_left_out_and_change_no_number() -> None:
    work = crowd(12, each=3)
    every, some = pair_scores(work), pair_scores(work, strangers=False)
    apart = {(pair.gold, pair.predicted) for pair in every if not pair.figures and not pair.passed}
    assert apart
    assert [(pair.gold, pair.predicted, pair.score) for pair in some] == [
        (pair.gold, pair.predicted, pair.score) for pair in every if (pair.gold, pair.predicted) not in apart
    ]
    corpus = Corpus.of(work)
    assert iaa_sweep(corpus, common=Common.NONE, strangers=False) == iaa_sweep(corpus, common=Common.NONE)


def test_a_crowds_report_has_the_numbers_of_one_that_lists_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    work = crowd(30, each=4)
    every = report_record(report_on(work, FEW_DRAWS))
    monkeypatch.setattr(summary, "MOST_LISTED", 10)
    crowded = report_record(report_on(work, FEW_DRAWS))
    shared = {(pair["gold"], pair["predicted"]) for pair in crowded["pairs"]}
    people = len(every["annotators"])
    assert crowded["counts"]["pairs_unlisted"] == people * (people - 1) - len(shared) > 0
    assert crowded["pairs"] == [pair for pair in every["pairs"] if (pair["gold"], pair["predicted"]) in shared]
    assert all(pair["score"] is None for pair in every["pairs"] if (pair["gold"], pair["predicted"]) not in shared)
    assert [two for two in every["status"] if two["figures"]] == [
        two for two in crowded["status"] if two["figures"]
    ]
    for report in (every, crowded):
        for person in report["annotators"]:
            # Where the reason was a figure in common with nobody, too, the others remain.
            del person["as_gold_reason"], person["as_predicted_reason"]
    listings = ("pairs", "status", "counts", "seeded")
    assert rounded({key: value for key, value in crowded.items() if key not in listings}) == rounded(
        {key: value for key, value in every.items() if key not in listings}
    )
    assert crowded["counts"] | {"pairs_unlisted": 0} == every["counts"]


def test_annotators_of_whom_no_two_share_a_figure_have_no_iaa_and_the_reason() -> None:
    work = [an_annotation(a_figure(f"f{number}"), annotator=f"p{number}") for number in range(50)]
    report = report_on(work, FEW_DRAWS)
    assert (report.iaa, report.reason, report.pairs) == (None, "no figure in common", ())
    assert report.counts.unlisted == 50 * 49
    assert "2450 more" in report_text(report)
    assert report_html(report)


def test_thousands_of_pairs_are_counted_in_text_page_and_latex_and_listed_in_json() -> None:
    few = 50
    one, *others = (
        an_annotation(a_figure(), annotator=f"p{person:03}", subfigures=[a_subfigure("A", tokens=[4])])
        for person in range(few)
    )
    report = report_on([one, *others], replace(FEW_DRAWS, resamples=0))
    assert len(report.pairs) == few * (few - 1) > MOST_LISTED
    assert len(report_record(report)["pairs"]) == 2450
    line = "2450 pairs of annotators, too many for a text"
    assert line in report_text(report)
    assert "2450 ordered pairs, too many for a page" in report_html(report)
    assert "2450 ordered pairs, too many to list" in report_latex(report)["pairs.tex"]
    smaller = report_on([one, *others[:5]], FEW_DRAWS)
    assert "too many" not in report_text(smaller) + report_html(smaller) + report_latex(smaller)["pairs.tex"]


@pytest.mark.soak
@pytest.mark.parametrize("groups", [True, False], ids=["in groups", "at random"])
def test_a_report_of_500_annotators_has_every_pair_that_shares_figures(tmp_path: Path, *, groups: bool) -> None:
    """In groups of twenty who do the same figures; or each figure by twenty of all."""
    people, chance = 500, random.Random(1)
    lines = [
        {
            "figure_id": f"f{figure}",
            "annotator": f"p{person}",
            "caption": "Fig 1: (A) mouse. (B) rat",
            "width": 800,
            "height": 600,
            "subfigures": [{"label": "A", "box": [0, 0, 400 - place, 600], "subcaption": [[11, 16]]}],
        }
        for figure in range(people // 2)
        for place, person in enumerate(
            [(figure * 20 + place) % people for place in range(20)] if groups else chance.sample(range(people), 20)
        )
    ]
    source = tmp_path / "crowd.jsonl"
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    result = CliRunner().invoke(group, ["report", str(source), "--format", "json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    if groups:
        # Within each group of twenty, every one with every other, both ways.
        assert len(report["pairs"]) == people * 19
    everybody = len(report["annotators"])
    assert len(report["pairs"]) + report["counts"]["pairs_unlisted"] == everybody * (everybody - 1)
    assert report["iaa"] == 1.0


def test_a_report_of_too_many_figures_has_no_sweep_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "MOST_MERGED", 1)
    report = report_on(crowd(6, each=3), FEW_DRAWS)
    assert (report.sweep, report.reliability) == ((), ())
    assert report.sweep_reason == "more than 1 figures"


def test_figures_are_averaged_the_same_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pair_scores(crowd(30, each=4), details=True)
    whole = figure_means(pairs)
    monkeypatch.setattr(figure_index, "_HELD_AT_ONCE", 4 * len(pairs))
    assert figure_means(pairs) == whole
    assert len(whole) > 4
