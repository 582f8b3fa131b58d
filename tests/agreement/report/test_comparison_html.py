from __future__ import annotations

import json

import pytest
from builders import a_figure, a_subfigure, an_annotation
from html_pages import a_campaign, check_page, numbers_in

from agreement.models.ceiling import NO_COMMON_FIGURE
from agreement.models.comparison import Comparison, comparison
from agreement.primitives.settings import Settings
from agreement.report.html.comparison import comparison_html
from agreement.report.json.comparison import comparison_json
from agreement.report.text.comparison import comparison_text
from panelwise.domain.annotation import Annotation

QUICK = Settings(resamples=50)
HOSTILE = "</style></svg><script>alert('x')</script><b onload=\"y\">&amp;"
VIEW = "http://127.0.0.1:5000/base/"


@pytest.mark.slow
def test_every_number_of_a_comparison_is_the_jsons() -> None:
    work = a_campaign(10)
    gold = [each for each in work if each.annotator == "ann1"]
    rest = [each for each in work if each.annotator != "ann1"]
    for predicted in (rest, [each for each in rest if each.annotator == "ann2"]):
        found = comparison(gold, predicted, QUICK, worst=5)
        page = check_page(comparison_html(found, sources=["gold.jsonl"]))
        record = json.loads(comparison_json(found))
        shown = {value for value, _ in page.numbers}
        assert shown <= numbers_in(record)
        assert len(page.all("article")) == 5
        if len(found.pairs) > 1:
            assert {row[key] for row in record["ranking"] for key in ("score", "own_score")} <= shown
            assert {each["difference"] for each in record["differences"]} <= shown
            assert not {record["score"], record["macro"], record["boxes"]["mean_f1"]} & shown
        else:
            assert {record["score"], record["macro"]} <= shown
    assert "Ranking" not in page.text


def test_the_human_ceiling_of_a_page_has_the_numbers_of_json_and_text() -> None:
    work = a_campaign(10)
    gold = [each for each in work if each.annotator == "ann1"]
    rest = [each for each in work if each.annotator != "ann1"]
    found = comparison(gold, rest, QUICK, people=work, curves=False)
    page = check_page(comparison_html(found))
    ceiling = json.loads(comparison_json(found))["ceiling"]
    shown = {value for value, _ in page.numbers}
    assert {each[key] for each in ceiling["gaps"] for key in ("people", "score", "gap")} <= shown
    assert {end for each in ceiling["gaps"] for end in each["interval"]} <= shown
    text = comparison_text(found)
    assert all(f"{each['people']:.6f}" in text and f"{each['gap']:+.6f}" in text for each in ceiling["gaps"])
    assert "Human ceiling" in page.text


def test_a_ceiling_without_common_figures_is_a_dash_with_its_reason() -> None:
    figures = [a_figure(f"f{number}") for number in range(3)]
    gold = [an_annotation(figure, annotator="gold") for figure in figures]
    model = [an_annotation(figure, annotator="model") for figure in figures]
    people = [an_annotation(a_figure("other"), annotator=name) for name in ("ann", "ben")]
    said = words(comparison_html(comparison(gold, model, QUICK, people=people)))
    assert f"– {NO_COMMON_FIGURE}" in said
    assert "Human ceiling" not in words(comparison_html(comparison(gold, model, QUICK)))


def models(*scores: tuple[str, list[int]], figures: int = 12) -> Comparison:
    """Models against one gold of two panels: how many of them each has right, figure by figure."""
    halves = ((0, 0, 400, 600), (400, 0, 800, 600))

    def made(name: str, number: int, right: int) -> Annotation:
        tokens = [(4,) if place < right else (6,) for place in range(2)]
        panels = tuple(a_subfigure("AB"[at], box=halves[at], tokens=tokens[at]) for at in range(2))
        return an_annotation(a_figure(f"f{number:02}"), annotator=name, subfigures=panels)

    gold = [made("gold", number, 2) for number in range(figures)]
    work = [made(name, number, right) for name, rights in scores for number, right in enumerate(rights)]
    return comparison(gold, work, QUICK, worst=2)


def words(html: str) -> str:
    return " ".join(check_page(html).text.split())


def test_of_several_the_first_and_how_certain_its_lead_is_stand_first() -> None:
    found = models(("best", [2] * 12), ("poor", [0] * 6 + [1] * 6))
    said = words(comparison_html(found))
    assert said.index("Ranking best 1.000") < said.index("Ranked by score")
    assert "best is first of 2, on the 12 figures that all cover" in said
    assert "Its lead over poor is certain: +0.750" in said
    assert "Score of all" not in said


def test_a_lead_that_may_be_chance_is_called_that_and_ties_are_shown() -> None:
    said = words(comparison_html(models(("a", [2] * 12), ("b", [2] * 11 + [1]))))
    assert "Its lead over b is not certain: +0.042" in said
    assert "; some resamples are ties." in said
    assert "FlipsTiesFigures" in said
    assert "0%" in said
    assert "An interval that ends at 0 comes of ties" in said
    apart = words(comparison_html(models(("a", [2] * 12), ("b", [0] * 12))))
    assert "FlipsFigures" in apart


def test_equal_scores_share_the_first_place() -> None:
    said = words(comparison_html(models(*((name, [2, 1] * 6) for name in "abcd"))))
    assert "a, b, c and 1 more 0.750" in said
    assert "4 of 4 share the first place" in said


def test_a_lead_that_turns_where_only_two_are_compared_says_so() -> None:
    # a is ahead on the four figures that all cover, b on the twelve that the two cover.
    found = models(("a", [2] * 4 + [0] * 8), ("b", [1] * 4 + [2] * 8), ("c", [0] * 4))
    said = words(comparison_html(found))
    assert "a is first of 3, on the 4 figures that all cover" in said
    assert "But on the 12 figures that both cover b is ahead" in said


def test_where_no_figures_are_shared_a_lead_has_its_reason() -> None:
    found = models(("a", [2]), ("b", [1]))
    assert "how certain that is cannot be said: one figure alone cannot be resampled" in words(
        comparison_html(found)
    )
    work = [an_annotation(a_figure(f"f{at}"), annotator=name) for at, name in enumerate("ab")]
    gold = [an_annotation(a_figure(f"f{at}"), annotator="gold") for at in range(2)]
    apart = words(comparison_html(comparison(gold, work, QUICK)))
    assert "share the first place, on the figures that each covers" in apart


def test_each_table_of_several_says_which_figures_it_rests_on() -> None:
    said = words(comparison_html(models(("a", [2] * 12), ("b", [1] * 7))))
    for part in (
        "Ranked by score on the 7 figures that all cover; own score: on the figures that each covers, of 12",
        "on the figures that both cover (last column)",
        "Loss of the own score, by cause: each on the figures that it covers (last column)",
        "Boxes alone, whatever the text, each matched with one of the gold at most: each on the figures that it",
        "Score by box match threshold (IoU), each on the figures that it covers",
    ):
        assert part in said
    assert "over all pairs" not in said
    assert "over all that scored it; the lowest is" in said


def test_a_comparison_tells_its_newest_work_and_one_alone_speaks_of_no_pairs() -> None:
    found = models(("a", [1] * 3))
    said = words(comparison_html(found))
    assert "newest work of 2026-12-02 12:00 UTC" not in said
    assert found.newest is not None
    assert f"newest work of {found.newest:%Y-%m-%d %H:%M} UTC" in said
    assert "pairs" not in said
    assert "Left out of a comparison" not in said


def test_more_models_than_a_plot_can_tell_apart_are_all_in_its_tables() -> None:
    said = words(comparison_html(models(*((f"m{at}", [2, 1] * 6) for at in range(8)))))
    assert "The tables have all 8" in said
    assert "part 1 of 2" in said
    assert "part 2 of 2" in said


def test_an_undefined_comparison_says_why() -> None:
    page = check_page(comparison_html(comparison([an_annotation()], [], QUICK, worst=3)))
    assert "nothing to compare with it" in page.text
    assert page.numbers == []
