from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest
from builders import NOON, a_figure, a_subfigure, an_annotation

from agreement.columns.raw import RawAnnotation
from agreement.columns.scored import ScoredAnnotation
from agreement.models.comparison import comparison
from agreement.primitives.settings import Settings
from agreement.report.text.comparison import CHOSEN_HERE, SHOWN_CONFIDENCES, comparison_text, short
from agreement.report.text.parts import WIDTH
from agreement.resampling import bootstrap
from agreement.score.subfigure_f1 import Mode, Panel
from panelwise.domain.annotation import Annotation, Status

QUICK = Settings(resamples=20)
LONG = "an annotator with a name that is as long as a sentence, or longer"
CAPTION = "one two three four five six seven eight nine ten"


def work(name: str, figures: int = 6, skill: int = 9, first: int = 0) -> list[Annotation]:
    """Two panels a figure; `skill` is the least number of words, of ten, that each has."""
    source = random.Random(name)
    return [
        an_annotation(
            a_figure(f"f{number}", caption=CAPTION),
            annotator=name,
            subfigures=tuple(
                a_subfigure(
                    str(n), box=(200 * n, 0, 200 * n + 190, 90), tokens=range(source.randint(skill, 9) + 1)
                )
                for n in range(2)
            ),
        )
        for number in range(first, first + figures)
    ]


def scored(annotations: list[Annotation], *scores: float) -> list[Annotation]:
    """As a model's work, the scores in turn."""
    found: list[Annotation] = []
    for number, each in enumerate(annotations):
        own = tuple(scores[(2 * number + place) % len(scores)] for place in range(len(each.subfigures)))
        found.append(
            ScoredAnnotation(
                each.figure, each.annotator, "prediction", Status.ACCEPTED, each.subfigures, NOON, scores=own
            )
        )
    return found


GOLD = work("gold")


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_comparison_names_what_one_side_lacks() -> None:
    gold = [an_annotation(a_figure(name), annotator="gold") for name in ("f1", "f2", "f3")]
    predicted = [an_annotation(a_figure(name), annotator="model") for name in ("f1", "f3", "f4")]
    predicted.append(an_annotation(a_figure("f3"), annotator="other", status=Status.REJECTED))
    text = comparison_text(comparison(gold, predicted, QUICK))
    assert "gold figures without a prediction of any, left out: 1\n  f2\n" in text
    assert "predicted figures without gold, left out: 1\n  f4\n" in text
    assert "rejected or left out by one: 1\n  f3\n" in text
    assert "  no figure that both accepted in the same version\n" in text
    assert "counted            4 gold subfigures, all together, in 2 of 3 gold figures" in text


def test_a_comparison_with_nothing_says_so() -> None:
    text = comparison_text(comparison([an_annotation()], [], QUICK))
    assert "(nothing to compare with it)" in text


def test_a_comparison_of_one_shows_its_interval() -> None:
    gold = [an_annotation(a_figure(name), annotator="gold") for name in ("f1", "f2")]
    text = comparison_text(comparison(gold, gold, QUICK))
    assert "95 % CI          1.0000 to 1.0000   20 resamples of figures, seed 0" in text


def test_no_line_is_wider_than_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    models = scored([*work(LONG, skill=0), *work("m2", 3, 2), *work(LONG * 2, 3, first=3)], 0.123456, 0.9, 1)
    absent = an_annotation(
        a_figure("f0", caption=CAPTION), annotator="z" * 90, status=Status.REJECTED, subfigures=()
    )
    texts = [
        comparison_text(comparison(GOLD, [*models, *work("people", skill=5), absent], QUICK)),
        comparison_text(comparison(GOLD, [each for each in models if each.annotator == LONG], QUICK)),
        comparison_text(comparison(GOLD, [*models, *work("b", 12)], replace(QUICK, mode=Mode.OFFICIAL))),
    ]
    monkeypatch.setitem(sys.modules, "hotcoco", None)
    texts.append(comparison_text(comparison(GOLD, models, QUICK)))
    for text in texts:
        assert max(map(len, text.splitlines())) <= WIDTH
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_several_are_ranked_with_the_differences_between_them() -> None:
    text = comparison_text(comparison(GOLD, [*work("b", skill=5), *work("a"), *work("c", skill=1)], QUICK))
    rows = [line.split() for line in text.splitlines() if line.lstrip()[:2] in ("1 ", "2 ", "3 ")]
    assert [row[:3] for row in rows] == [
        ["1", "a", "1.000000"],
        ["2", "b", rows[1][2]],
        ["3", "c", rows[2][2]],
    ]
    assert rows[0][3:6] == ["1.0000", "to", "1.0000"]
    marked = [line.split()[:2] for line in text.splitlines() if " * +" in line]
    assert marked[0] == ["a", "b"]
    assert "score: over 6 gold figures that all cover; intervals from 20 resamples" in flat(text)
    assert "of 3 intervals one may leave out 0 by chance" in flat(text)
    assert "losses, boxes and thresholds" not in text
    assert "carries no scores" not in text


def test_two_need_no_word_on_many_comparisons_and_differing_coverage_is_told() -> None:
    text = flat(comparison_text(comparison(GOLD, [*work("a"), *work("b", 4, 5)], QUICK)))
    assert "by chance" not in text
    assert "losses, boxes and thresholds: over the figures that each covers" in text
    assert "4/6" in text


def test_who_narrows_the_ranking_for_all_is_named() -> None:
    wide = [*work("a"), *work("b", 5, 5)]
    text = flat(comparison_text(comparison(GOLD, [*wide, *work("narrow", 2, 1)], QUICK)))
    assert "narrow covers the fewest; without it the others share 5 gold figures" in text
    for others in (wide, [*work("a"), *work("b"), *work("c")]):
        assert "covers the fewest" not in comparison_text(comparison(GOLD, others, QUICK))


def test_names_that_are_cut_in_the_table_are_given_whole() -> None:
    text = flat(comparison_text(comparison(GOLD, [*work("classic-1 (monday)"), *work("b")], QUICK)))
    assert text.endswith("short forms: classic-~monday) = classic-1 (monday)")


def test_those_who_share_nothing_are_ranked_by_their_own_figures_told() -> None:
    text = flat(comparison_text(comparison(GOLD, [*work("a", 3), *work("b", 3, 5, first=3)], QUICK)))
    assert "score: over the figures that each covers, as nothing counts in those that all cover" in text
    assert "-: no figure that both cover" in text


def test_an_order_that_two_turn_round_is_told() -> None:
    # a leads over f0, the one figure that all cover; over f1 and f2, which c lacks, b does far better.
    words = {("a", 0): 10, ("b", 0): 9, ("a", 1): 2, ("b", 1): 10, ("a", 2): 2, ("b", 2): 10, ("c", 0): 1}
    made = [
        an_annotation(
            a_figure(f"f{number}", caption=CAPTION),
            annotator=name,
            subfigures=(a_subfigure("0", box=(0, 0, 190, 90), tokens=range(count)),),
        )
        for (name, number), count in words.items()
    ]
    text = flat(comparison_text(comparison(GOLD, made, QUICK)))
    assert "below 0: over the figures that these two cover, the order is the other way round" in text
    assert "linearised" not in text


@pytest.mark.parametrize(
    ("limit", "resamples", "words"),
    [(1, 20, "intervals by the linearised standard error"), (99, 0, "no intervals; figures")],
)
def test_the_text_says_how_intervals_were_made(
    limit: int, resamples: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", limit)
    both = [*work("a"), *work("b", skill=3)]
    assert words in flat(comparison_text(comparison(GOLD, both, Settings(resamples=resamples))))


def test_a_model_s_thresholds_and_average_precision_are_shown_with_a_warning() -> None:
    model = scored(work("m"), *(place / 12 for place in range(12)))
    text = comparison_text(comparison(GOLD, model, QUICK))
    assert "COCO AP            1.000000   mean over IoU .50:.05:.95" in text
    assert "score by min IoU  .10" in text
    rows = text.splitlines()
    start = next(place for place, line in enumerate(rows) if line.startswith("kept from score"))
    shown = rows[start + 1 : start + 1 + SHOWN_CONFIDENCES]
    assert (shown[0].split()[:2], shown[-1].split()[:2]) == (["0.0000", "12"], ["0.9167", "1"])
    assert CHOSEN_HERE in flat(text)
    assert "m: the boxes' F1 is highest with all kept (1.000000), the score with all kept (1.000000)" in flat(text)


def test_a_threshold_that_helps_is_named_with_what_it_brings() -> None:
    gold = [replace(each, subfigures=each.subfigures[:1]) for each in GOLD]
    text = flat(comparison_text(comparison(gold, scored(work("m"), 0.8, 0.3), QUICK)))
    assert "F1 is highest from 0.8000 on (1.000000; all kept: 0.666667)" in text
    both = flat(comparison_text(comparison(gold, [*scored(work("m"), 0.8, 0.3), *work("n")], QUICK)))
    assert "thresholds on the models' scores m: the boxes' F1 is highest from 0.8000 on" in both


def test_where_nothing_counts_the_boxes_alone_have_a_best_threshold() -> None:
    gold = [replace(each, subfigures=(a_subfigure("0", box=(0, 0, 190, 90), tokens=()),)) for each in GOLD]
    text = flat(comparison_text(comparison(gold, scored(work("m"), 0.8, 0.3), QUICK)))
    assert "F1 is highest from 0.8000 on (1.000000; all kept: 0.666667) a threshold" in text


def test_scores_that_are_all_one_have_no_average_precision_told_once_for_each() -> None:
    why = "every score is 0.5, so that the order of the figures alone would decide"
    alone = flat(comparison_text(comparison(GOLD, scored(work("m"), 0.5), QUICK)))
    assert f"COCO AP - ({why})" in alone
    assert "kept from score" not in alone
    both = flat(comparison_text(comparison(GOLD, [*scored(work("m"), 0.5), *work("n")], QUICK)))
    assert both.count(f"AP of m: {why}") == 1


def test_a_missing_package_is_told_in_one_place_and_the_rest_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hotcoco", None)
    text = flat(comparison_text(comparison(GOLD, scored(work("m"), 0.5, 0.9), QUICK)))
    assert text.count('install "panelwise[coco]"') == 1
    assert "score 1.000000" in text


def test_people_s_work_has_no_word_on_average_precision() -> None:
    assert "AP" not in comparison_text(comparison(GOLD, work("a"), QUICK)).split("score by min IoU")[0]


def test_gold_without_area_is_told() -> None:
    figure = a_figure("f0", caption=CAPTION)
    flat_panel, panel = Panel((0, 0, 0, 9), (4,)), Panel((0, 0, 190, 90), (4,))
    raw = RawAnnotation(figure, "g", "1", Status.ACCEPTED, (flat_panel, panel), (), NOON)
    model = RawAnnotation(figure, "m", "1", Status.ACCEPTED, (panel, panel), (), NOON, scores=(0.2, 0.9))
    text = comparison_text(comparison([raw], [model], replace(QUICK, mode=Mode.OFFICIAL)))
    assert "gold boxes without area, left out: 1" in text


def test_the_curves_may_be_left_out() -> None:
    for others in (work("a"), [*work("a"), *work("b")]):
        text = comparison_text(comparison(GOLD, others, QUICK, curves=False))
        assert "min IoU" not in text


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "-"), (0.0, ".000"), (0.5321, ".532"), (0.9999, "1.00"), (1.0, "1.00")]
)
def test_a_share_takes_four_characters(value: float | None, shown: str) -> None:
    assert short(value) == shown


def textless(name: str, *subfigures: str) -> list[Annotation]:
    """Two figures of which no subfigure has a word."""
    drawn = tuple(a_subfigure(each, tokens=()) for each in subfigures)
    return [an_annotation(a_figure(figure), annotator=name, subfigures=drawn) for figure in ("f1", "f2")]


@pytest.mark.parametrize("names", ["a", "ab"])
@pytest.mark.parametrize("curves", [True, False])
def test_where_nothing_counts_every_dash_has_a_reason_and_no_table_is_empty(names: str, curves: bool) -> None:
    found = comparison(textless("gold", "0"), [one for name in names for one in textless(name, "0")], QUICK)
    text = comparison_text(replace(found, curves=found.curves if curves else ()))
    assert "\n\n\n" not in text
    for block in text.split("\n\n"):
        head, *rows = block.splitlines()
        assert rows or "(" in head, block
    # A dash has its reason in brackets, or it is in a row of a table with the reason on the line below.
    lines = text.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if "   -    " in line:
            assert " (no " in line or after.startswith(("  no gold subfigure", f"  {line.split()[1]}: no gold")), (
                line
            )
    assert "lost to" not in text
    if len(names) > 1:
        assert "lost                  -       (no gold subfigure counts)" in text
    else:
        assert "  per figure          -       (no gold subfigure with" in text
    if curves:
        assert "score by min IoU      -       (no gold subfigure counts)" in text


def test_those_who_share_no_figure_with_the_gold_have_no_tables() -> None:
    strangers = [*work("a", 2, first=20), *work("b", 2, first=20)]
    text = comparison_text(comparison(GOLD, strangers, QUICK))
    assert "\n\n\n" not in text
    assert "lost to" not in text
    assert "P .50" not in text
    assert "boxes - (no figure that both sides accepted in the same version)" in flat(text)
    alone = comparison_text(comparison(GOLD, strangers[:2], QUICK))
    assert "per figure          -       (no figure" in alone
    nobody = comparison_text(comparison(GOLD, [], QUICK))
    assert "per figure          -       (nothing to compare with it)" in nobody


def test_the_gold_left_out_of_one_is_over_no_pairs() -> None:
    gold = [replace(each, subfigures=(*each.subfigures, a_subfigure("2", tokens=()))) for each in GOLD]
    assert "\ngold left out      6 with no subcaption\n" in comparison_text(comparison(gold, work("a"), QUICK))
    both = comparison_text(comparison(gold, [*work("a"), *work("b")], QUICK))
    assert "\ngold left out      over all pairs: 12 with no subcaption\n" in both


def test_resamples_without_a_difference_are_told_so_that_an_interval_up_to_0_is_understood() -> None:
    better = [*work("gold", 5), *work("a", 1, skill=0, first=5)]
    same = [replace(each, annotator="a") for each in GOLD[:5]]
    rival = [replace(each, annotator="b") for each in GOLD]
    found = comparison(GOLD, [*same, *better[5:], *rival], Settings(resamples=200))
    (difference,) = found.ranking.differences
    assert 0.2 < (difference.tied or 0.0) < 0.5
    assert f"\n  ties: no difference in {difference.tied:.1%} of the resamples\n" in comparison_text(found)
    twins = [*rival, *(replace(each, annotator="c") for each in GOLD)]
    assert "\n  ties: no difference in all resamples\n" in comparison_text(comparison(GOLD, twins, QUICK))
    half = [replace(each, annotator="d", subfigures=each.subfigures[:1]) for each in GOLD]
    assert "ties:" not in comparison_text(comparison(GOLD, [*rival, *half], QUICK))
