"""The pages that explain agreement say what the program computes, and show it."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "scripts"))

from agreement_pictures import worked, worked_beyond, worked_time
from agreement_pictures.canvas import WIDTH, Sheet, known, short
from draw_agreement_pictures import DRAWN, FOLDER, files, stale

from agreement.score.losses import Loss

FOLDER_OF_PAGES = REPOSITORY / "docs" / "explanation"
REPORT, COMPARISON = "reading-the-agreement-report.md", "reading-a-comparison.md"
#: From the paper, and from shared/data's README; the IoU thresholds of the metric and of COCO.
QUOTED = {
    REPORT: {".828", ".89", ".945", ".50", ".90", ".5", ".95"},
    COMPARISON: {".675", ".719", ".828", ".89", ".10", ".50", ".75", ".95"},
}


@cache
def sheets() -> list[Sheet]:
    pytest.importorskip("matplotlib")
    return [draw() for draw in DRAWN]


def span(interval: tuple[float, float] | None, between: str = "to") -> str:
    low, high = known(interval)
    return f"{short(low)} {between} {short(high)}"


def said_of_the_score() -> list[str]:
    pairs = worked.three_people()
    roles = {each.name: each for each in worked.surplus_box().annotators}
    few, many = worked.resampled(1), worked.resampled(4)
    scores = " + ".join(short(known(pair.score)) for pair in pairs.pairs)
    without = {each.name: short(known(each.without)) for each in pairs.annotators}
    one = worked.one_panel((0, 0, 100, 100), worked.OTHER_WORDS)
    return [
        f"gold has 4 words and the other 3 of them, F1 = 2 · 3 / (4 + 3) = {short(known(one.mean))}",
        f"({scores}) / 6 = {short(known(pairs.iaa))}",
        f"without B it is {without['B']}, without A {without['A']}",
        f"Ben has {short(known(roles['ben'].as_gold))} as gold and "
        f"{short(known(roles['ben'].as_predicted))} as predicted",
        f"{short(known(few.iaa))}, with an interval from {span(few.intervals.iaa)}",
        f"the same kinds: {short(known(many.iaa))}, from {span(many.intervals.iaa)}",
    ]


def said_of_the_loss() -> list[str]:
    causes = {cause: short(share, 3) for cause, share in worked.lost_by_cause().items()}
    assert causes[Loss.WRONG_BOX] == causes[Loss.NO_BOX]
    assert causes[Loss.MISSING] == causes[Loss.SURPLUS]
    assert causes[Loss.OTHER_PANEL] == causes[Loss.BOUNDARY]
    boxes = worked.four_boxes()
    f1 = [short(known(boxes.f1(threshold))) for threshold in (0.5, 0.75, 0.9)]
    ious = [short(high / 100) for high in worked.HEIGHTS]
    worst = worked.worst()
    seeded = worked.seeded()
    return [
        f"{causes[Loss.NO_BOX]} of the {short(1 - known(worked.lost().score))} is *missing box*, as much again",
        f"*missing text* and *extra text* are {causes[Loss.MISSING]} each",
        f"*text of another panel* and *boundary* {causes[Loss.BOUNDARY]} each",
        f"IoUs of {', '.join(ious[:-1])} and {ious[-1]} make F1 {f1[0]} at .50, {f1[1]} at .75 and {f1[2]} at .90",
        f"mean over the ten thresholds is {short(known(boxes.mean_f1()))}",
        f"that of the matches, {short(known(boxes.mean_iou()))}",
        f"whose second panel no other annotator drew scores {short(worst[0].score)}",
        f"more or less at an edge, {short(worst[-1].score)}",
        f"{short(known(seeded.seeded.seeded.iaa))} where at least one began from a prediction, "
        f"{short(known(seeded.seeded.unseeded.iaa))} where both",
        f"together they make {short(known(seeded.iaa))}",
    ]


def said_beyond_chance() -> list[str]:
    tokens = worked_beyond.words().tokens
    assert worked_beyond.nominal_by_hand() == pytest.approx(known(tokens.nominal))
    skewed, even = (case.report() for case in (worked_beyond.SKEWED, worked_beyond.EVEN))
    kappas = [short(known(report.statuses[0].kappa)) for report in (skewed, even)]
    ac1s = [short(known(report.categories[0].ac1)) for report in (skewed, even)]
    assert skewed.statuses[0].observed == even.statuses[0].observed == 0.9
    return [
        f"Alike on 6 of 9 words makes an alpha of {short(known(tokens.nominal))}",
        f"measure ({short(known(tokens.masi))} in the example above)",
        f"18 alike of 20 make a kappa of {kappas[0]} where all but a few were accepted, and {kappas[1]}",
        f"AC1 stays near what one sees: {ac1s[0]} and {ac1s[1]}",
    ]


def said_of_time() -> list[str]:
    drift, contrast = worked_time.weekly(), worked_time.phases().contrasts[-1]
    own = {each.annotator: short(known(each.score)) for each in worked_time.repeats()}
    return [
        f"here {short(known(drift.trend.slope))} a week, with an interval from {span(drift.trend.interval)}",
        f"{span(contrast.there.interval)} before, {span(contrast.here.interval)} after",
        f"the difference is {short(known(contrast.difference))}, with an interval from {span(contrast.interval)}",
        f"Ann has {own['ann']} with herself and ben {own['ben']} with himself",
        f"the two {short(worked_time.between())} with each other",
    ]


def said_of_models() -> list[str]:
    ranking = worked_time.ranked()
    north, south, west = ranking.rows
    first, second, _ = ranking.differences
    assert [each.certain for each in ranking.differences] == [True, False, True]
    best = known(worked_time.by_confidence().best_f1)
    precision = worked_time.precision()
    return [
        f"north has {short(known(north.score))}, with an interval from {span(north.interval)}",
        f"south {short(known(south.score))}, from {span(south.interval)}; west {short(known(west.score))}",
        f"{first.first} is ahead of {first.second} by {short(known(first.difference))}, for sure",
        f"{second.first} of {second.second} by {short(known(second.difference))}, which is as good as nothing",
        f"best, {short(known(best.f1))}, with boxes from {short(best.threshold)} on",
        f"At an IoU of .50 it is {short(known(precision.ap50))} in the example, at .75 only "
        f"{short(known(precision.ap75))}, over all ten thresholds {short(known(precision.ap))}",
    ]


SAID = {
    REPORT: (said_of_the_score, said_of_the_loss, said_beyond_chance, said_of_time),
    COMPARISON: (said_of_models,),
}


def page(name: str) -> str:
    return " ".join((FOLDER_OF_PAGES / name).read_text(encoding="utf-8").split())


def decimals(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])\.\d+", text))


def said(name: str) -> list[str]:
    return [sentence for found in SAID[name] for sentence in found()]


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_the_examples_are_what_the_program_computes(name: str) -> None:
    text = page(name)
    for sentence in said(name):
        assert sentence in text


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_no_number_stands_on_the_page_that_nobody_computed(name: str) -> None:
    shown = re.findall(r"!\[[^]]*\]\([^)]*?([\w-]+)\.svg\)", page(name))
    alts = [sheet.says for sheet in sheets() if sheet.name in shown]
    known_numbers = QUOTED[name].union(*map(decimals, said(name)), *map(decimals, alts))
    assert decimals(page(name)) - known_numbers == set()


@pytest.mark.slow
def test_every_picture_is_shown_once_with_the_words_for_who_does_not_see_it() -> None:
    shown = [found for name in SAID for found in re.findall(r"!\[([^]]*)\]\(([^)]*)\)", page(name))]
    assert sorted(shown) == sorted((sheet.says, f"../images/agreement/{sheet.name}.svg") for sheet in sheets())


def test_a_picture_told_in_words_gives_the_numbers_that_it_shows() -> None:
    for sheet in sheets():
        text = " ".join(ET.fromstring(sheet.svg()).itertext()).replace(sheet.says, "")
        assert decimals(sheet.says) <= decimals(text), sheet.name


@pytest.mark.slow
def test_the_committed_pictures_are_what_the_script_draws() -> None:
    pytest.importorskip("matplotlib")
    assert stale() == []


@pytest.mark.slow
def test_a_picture_that_is_missing_altered_or_left_over_is_stale(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    fresh = files()
    gone, altered, *_ = fresh
    for name, text in fresh.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / gone).unlink()
    (tmp_path / altered).write_text("<svg/>", encoding="utf-8")
    (tmp_path / "old.svg").write_text("<svg/>", encoding="utf-8")
    assert stale(tmp_path) == sorted([gone, altered, "old.svg"])


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.svg")))
def test_a_picture_fits_its_sheet_and_loads_nothing(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    root = ET.fromstring(text)
    places = [float(value) for each in root.iter() for key in ("x", "x1", "cx") if (value := each.get(key))]
    assert min(places) >= 0
    assert max(places) <= WIDTH
    assert "prefers-color-scheme: dark" in text
    assert "http" not in re.sub(r' xmlns(:\w+)?="http://www.w3.org/[\w/]+"', "", text)
