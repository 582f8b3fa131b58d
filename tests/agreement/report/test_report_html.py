from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from html_pages import a_campaign, check_page, numbers_in
from hypothesis import given
from PIL import Image

from agreement.cli.pages import MOST_WORST
from agreement.metrics.comparison import comparison
from agreement.metrics.drift import Grouping
from agreement.metrics.full_report import Course, full_report
from agreement.metrics.subfigure_f1 import Mode
from agreement.metrics.summary import Report, Settings, report_on
from agreement.report.comparison_json import comparison_json
from agreement.report.html import report_html
from agreement.report.html_comparison import comparison_html
from agreement.report.json import report_json
from annotator.domain.addresses import figure_segment
from annotator.domain.annotation import Annotation, Status
from annotator.domain.figure import Figure
from annotator.services.report_pictures import BYTES

QUICK = Settings(resamples=50)
HOSTILE = "</style></svg><script>alert('x')</script><b onload=\"y\">&amp;"
VIEW = "http://127.0.0.1:5000/base/"


def noise(_figure: Figure, *, most: int = 60_000) -> bytes:
    """A picture that does not compress, of at most so many bytes."""
    pixels = np.random.default_rng(0).integers(0, 256, size=(600, 800), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=5)
    return out.getvalue().ljust(most, b"\0")[:most]


def full(work: list[Annotation], settings: Settings = QUICK, **more: object) -> Report:
    return full_report(work, settings, worst=20, **more)  # type: ignore[arg-type]


def test_a_page_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    page = check_page(report_html(full(a_campaign(12)), sources=["a.jsonl", "b.jsonl"]))
    for said in ("Inter-annotator agreement", "paper: as the MedICaT paper", "50, 0", "a.jsonl, b.jsonl", "ann3"):
        assert said in page.text
    assert "newest work of 2026-12-02 12:00 UTC" in page.text
    assert len(page.all("article")) == 12


@pytest.mark.parametrize("mode", list(Mode))
def test_every_number_of_a_page_is_the_jsons(mode: Mode) -> None:
    report = full(a_campaign(20), Settings(mode=mode, resamples=50), course=Course(Grouping.WEEK))
    record = json.loads(report_json(report))
    page = check_page(report_html(report))
    shown = {value for value, _ in page.numbers}
    assert shown <= numbers_in(record)
    told = {record["iaa"], record["pooled"], record["macro"], *record["interval"]}
    told |= {pair["score"] for pair in record["pairs"]} | {
        end for pair in record["pairs"] for end in pair["interval"]
    }
    told |= {person[key] for person in record["annotators"] for key in ("as_gold", "as_predicted", "iaa_without")}
    told |= {value for value in record["losses"].values() if value} | set(record["boxes"]["f1"])
    told |= {period["iaa"] for period in record["drift"]["periods"]}
    assert told <= shown
    scores = {figure["score"] for figure in record["figures"]}
    assert {each.mean.score for each in report.worst} <= scores & {value for value, _ in page.card_numbers}


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
        assert {record["score"], record["macro"]} <= shown
        assert len(page.all("article")) == 5
    assert "Ranking" not in page.text


@given(campaigns)
def test_any_campaign_makes_a_page(annotations: list[Annotation]) -> None:
    check_page(report_html(full(annotations, Settings(resamples=5))))
    gold = [each for each in annotations if each.annotator == "ann1"]
    check_page(comparison_html(comparison(gold, annotations, Settings(resamples=5), worst=20)))


def test_equal_reports_give_equal_bytes() -> None:
    work = a_campaign(8)
    one = report_html(full(work), pictures=noise, view=VIEW, sources=["x"])
    assert one == report_html(full(list(reversed(work))), pictures=noise, view=VIEW, sources=["x"])


@pytest.mark.parametrize("number", [20, MOST_WORST])
def test_a_campaign_of_100_figures_stays_below_two_megabytes(number: int) -> None:
    report = report_on(a_campaign(100), QUICK, phase="1", worst=number)
    assert len(report.worst) == number
    html = report_html(report, pictures=partial(noise, most=BYTES // number), view=VIEW)
    assert len(html.encode()) < 2_000_000
    check_page(html, view=VIEW)


def test_hostile_names_and_captions_are_text() -> None:
    figure = a_figure(HOSTILE, caption=f"(A) {HOSTILE} \x00\x1b\ud800 (B) שלום עולם 😀 lung \u202e x")
    tokens = len(figure.caption.tokens)
    work = [
        an_annotation(figure, annotator=HOSTILE, subfigures=(a_subfigure(HOSTILE, tokens=range(tokens)),)),
        an_annotation(figure, annotator="b", subfigures=(a_subfigure("A", tokens=range(4)),)),
    ]
    html = report_html(full(work), view=VIEW, sources=[HOSTILE])
    page = check_page(html, view=VIEW)
    assert "alert" in page.text
    assert "שלום עולם 😀 lung" in page.text
    assert {"dir": "auto", "class": "caption"} in page.all("p")
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff]", html)
    html.encode()
    check_page(comparison_html(comparison(work[:1], work[1:], QUICK, worst=1), sources=[HOSTILE]))


def test_figures_and_pairs_lead_into_the_view_where_one_is_given() -> None:
    work = a_campaign(3, names=("ann 1", "b&c"))
    report = full(work)
    page = check_page(report_html(report, view=VIEW), view=VIEW)
    assert f"{VIEW}?gold=ann+1&predicted=b%26c&phase=1" in page.addresses
    for each in report.worst:
        assert f"{VIEW}figures/{figure_segment(each.figure.id)}" in page.addresses
    assert not [address for address in check_page(report_html(report)).addresses if "figures/" in address]


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        ([], "no annotations"),
        ([an_annotation()], "one annotator only (ann1); agreement needs two"),
        ([an_annotation(), an_annotation(a_figure("f2"), annotator="b")], "no figure in common"),
        ([an_annotation(status=Status.REJECTED), an_annotation(annotator="b")], "no figure that both accepted"),
    ],
)
def test_what_is_undefined_is_a_dash_with_its_reason(work: list[Annotation], reason: str) -> None:
    report = full(work)
    html = report_html(report)
    page = check_page(html)
    assert reason in page.text
    assert '<p class="big"><span class="none">–</span></p>' in html
    assert {value for value, _ in page.numbers} <= numbers_in(json.loads(report_json(report)))


def test_an_undefined_comparison_says_why() -> None:
    page = check_page(comparison_html(comparison([an_annotation()], [], QUICK, worst=3)))
    assert "nothing to compare with it" in page.text
    assert page.numbers == []


def test_without_an_image_the_boxes_stand_on_a_blank_canvas_of_the_figures_size() -> None:
    page = check_page(report_html(full(a_campaign(2))))
    canvases = [given for given in page.all("svg") if given.get("class") == "canvas"]
    assert {given["viewbox"] for given in canvases} == {"0 0 800 600"}
    assert "The image is not at hand." in page.text
    assert not page.all("image")


def test_each_figure_is_asked_for_its_picture_once() -> None:
    asked: list[str] = []

    def pictures(figure: Figure) -> bytes:
        asked.append(figure.id)
        return b"picture"

    report = full(a_campaign(4))
    page = check_page(report_html(report, pictures=pictures))
    assert asked == [each.figure.id for each in report.worst]
    assert [given["href"] for given in page.all("image")] == ["data:image/jpeg;base64,cGljdHVyZQ=="] * len(asked)


def test_two_phases_and_ones_own_repeats_are_shown() -> None:
    work = a_campaign(6)
    again = [
        an_annotation(each.figure, annotator=each.annotator, phase="2", subfigures=each.subfigures)
        for each in a_campaign(6, seed=1)
    ]
    report = full([*work, *again], phase="2", against="1", course=Course(Grouping.PART, parts=2))
    page = check_page(report_html(report))
    assert "Phase 2 beside phase 1" in page.text
    assert "Agreement with oneself" in page.text
    assert {value for value, _ in page.numbers} <= numbers_in(json.loads(report_json(report)))


def test_many_pairs_are_folded_away_and_many_names_are_cut_short() -> None:
    names = tuple(f"annotator-{number}" for number in range(5))
    work = a_campaign(2, names=names)
    work += [an_annotation(a_figure(f"r{n}"), annotator=names[0], status=Status.REJECTED) for n in range(14)]
    work += [an_annotation(a_figure(f"r{n}"), annotator=names[1]) for n in range(14)]
    page = check_page(report_html(full(work)))
    assert all("open" not in given for given in page.all("details")[:2])
    assert "and 4 more" in page.text


def styles(html: str) -> dict[int, tuple[str, str]]:
    found = re.findall(r"\.heat-(\d+) \{ background: (#\w+); color: (#\w+); \}", html)
    return {int(step): (ground, ink) for step, ground, ink in found}


def test_text_on_the_heat_map_can_be_read_and_its_steps_darken() -> None:
    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        high, low = sorted((luminance(one), luminance(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    steps = styles(report_html(full([])))
    assert sorted(steps) == list(range(11))
    assert all(contrast(*steps[step]) >= 4.5 for step in steps)
    darkness: Callable[[int], float] = lambda step: luminance(steps[step][0])  # noqa: E731
    assert all(darkness(step) > darkness(step + 1) for step in range(10))
