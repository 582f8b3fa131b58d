from __future__ import annotations

import io
import json
import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from html_pages import Page, a_campaign, check_page, numbers_in
from hypothesis import given
from PIL import Image

from agreement.models.comparison import comparison
from agreement.primitives.settings import Settings
from agreement.report.full_report import Course, full_report
from agreement.report.html.comparison import comparison_html
from agreement.report.html.report import MOST_COLUMNS, report_html
from agreement.report.json.report import report_json
from agreement.report.summary import Report, report_on
from agreement.report.text.report import report_text
from agreement.score.subfigure_f1 import Mode
from agreement.trends.drift import Grouping
from annotator.cli.agreement.pages import MOST_WORST
from annotator.measurement.report_pictures import BYTES
from panelwise.domain.addresses import figure_segment
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.figure import Figure

QUICK = Settings(resamples=50)
HOSTILE = "</style></svg><script>alert('x')</script><b onload=\"y\">&amp;"
VIEW = "http://127.0.0.1:5000/base/"


def noise(_figure: Figure, *, most: int = 60_000) -> bytes:
    """A picture that does not compress, of at most so many bytes."""
    pixels = np.random.default_rng(0).integers(0, 256, size=(600, 800), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=5)
    return out.getvalue().ljust(most, b"\0")[:most]


def full(work: list[Annotation], settings: Settings = QUICK, **more: Any) -> Report:
    return full_report(work, settings, worst=20, **more)


def words(html: str) -> str:
    return " ".join(check_page(html).text.split())


@pytest.mark.slow
def test_a_page_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    page = check_page(report_html(full(a_campaign(12)), sources=["a.jsonl", "b.jsonl"]))
    for said in ("Inter-annotator agreement", "paper: as the MedICaT paper", "50, 0", "a.jsonl, b.jsonl", "ann3"):
        assert said in page.text
    assert "newest work of 2026-12-02 12:00 UTC" in page.text
    assert len(page.all("article")) == 12


@pytest.mark.slow
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


def test_agreement_on_panels_is_the_same_in_page_json_and_text() -> None:
    report = report_on(a_campaign(10), QUICK)
    panels = json.loads(report_json(report))["panel_agreement"]
    values = [panels[name] for name in ("detection", "label", "localisation")]
    assert None not in values
    shown = {value for value, _ in check_page(report_html(report)).numbers}
    assert {*values} <= shown
    lines = report_text(report).splitlines()
    for name, value in zip(("alpha on panels", "alpha on labels", "localisation"), values, strict=True):
        assert any(line.startswith(f"{name:18} {value:8.6f}") for line in lines)


@pytest.mark.slow
def test_a_matrix_wider_than_a_sheet_is_printed_in_blocks() -> None:
    def heads(names: int) -> tuple[str, Page]:
        html = report_html(full(a_campaign(1, names=tuple(f"n{at}" for at in range(names)))), view=VIEW)
        return html, check_page(html, view=VIEW)

    html, page = heads(MOST_COLUMNS)
    assert '<div class="paper-only">' not in html
    html, page = heads(2 * MOST_COLUMNS + 1)
    assert "part 3 of 3" in page.text
    printed = html[html.index('<div class="paper-only">') : html.index('<p class="scale">')]
    for place in range(2 * MOST_COLUMNS + 1):
        assert printed.count(f'<th scope="col"><bdi>n{place}</bdi></th>') == 1
    most = max(
        int(each["colspan"]) for each in page.all("th") if "colspan" in each and each["scope"] == "colgroup"
    )
    assert most == 2 * MOST_COLUMNS + 1
    assert page.text.count("only leads can open them") == 1
    assert "only leads can open them" not in report_html(full(a_campaign(1)))


def test_two_means_of_a_person_are_told_beside_the_panels_that_they_rest_on() -> None:
    draws = {"few": 1, "many": 2}
    panels = (
        a_subfigure("A", box=(0, 0, 400, 600), tokens=(4,)),
        a_subfigure("B", box=(400, 0, 800, 600), tokens=(6,)),
    )
    work = [an_annotation(annotator=name, subfigures=panels[:number]) for name, number in draws.items()]
    said = words(report_html(full(work)))
    assert "as gold lower by 0.500; more panels than the others: 2 and 1" in said
    assert "as gold higher by 0.500; fewer panels than the others: 1 and 2" in said
    alike = [an_annotation(annotator=name, subfigures=panels) for name in "ab"]
    assert "as gold and as predicted alike; as many panels as the others: 2" in words(report_html(full(alike)))


@pytest.mark.slow
@given(campaigns)
def test_any_campaign_makes_a_page(annotations: list[Annotation]) -> None:
    check_page(report_html(full(annotations, Settings(resamples=5))))
    gold = [each for each in annotations if each.annotator == "ann1"]
    check_page(comparison_html(comparison(gold, annotations, Settings(resamples=5), worst=20)))


@pytest.mark.slow
def test_equal_reports_give_equal_bytes() -> None:
    work = a_campaign(8)
    one = report_html(full(work), pictures=noise, view=VIEW, sources=["x"])
    assert one == report_html(full(list(reversed(work))), pictures=noise, view=VIEW, sources=["x"])


@pytest.mark.slow
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
    assert not re.search("[\x00-\x08\x0b-\x1f\u202d\u202e\ud800-\udfff]", html)
    assert r"\x00\x1b\ud800" in page.text
    assert r"\u202e x" in page.text
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


@pytest.mark.slow
def test_two_phases_and_ones_own_repeats_are_shown() -> None:
    work = a_campaign(6)
    again = [
        an_annotation(each.figure, annotator=each.annotator, phase="2", subfigures=each.subfigures)
        for each in a_campaign(6, seed=1)
    ]
    report = full([*work, *again], phase="2", against="1", course=Course(Grouping.PART, parts=2))
    page = check_page(report_html(report))
    assert "Phase 2 compared to phase 1" in page.text
    assert "of them on another caption" not in page.text
    assert "Agreement with oneself" in page.text
    assert {value for value, _ in page.numbers} <= numbers_in(json.loads(report_json(report)))


def test_figures_that_changed_between_phases_are_counted_among_the_shared_and_left_out_below() -> None:
    again = [
        an_annotation(
            a_figure(each.figure.id, caption="Fig: " + "other words here " * 14)
            if each.figure.id == "fig-000"
            else each.figure,
            annotator=each.annotator,
            phase="2",
            subfigures=each.subfigures,
        )
        for each in a_campaign(4, seed=1)
    ]
    found = full([*a_campaign(4), *again], phase="2", against="1")
    assert found.other_phase is not None
    shared = found.other_phase.shared
    assert (
        f"{shared} figures scored in both phases; 1 of them on another caption, tokens or size, left out of the "
        "lines on the same figures: fig-000"
    ) in words(report_html(found))


def test_many_pairs_are_folded_away_and_many_names_are_cut_short() -> None:
    names = tuple(f"annotator-{number}" for number in range(5))
    work = a_campaign(2, names=names)
    work += [an_annotation(a_figure(f"r{n}"), annotator=names[0], status=Status.REJECTED) for n in range(14)]
    work += [an_annotation(a_figure(f"r{n}"), annotator=names[1]) for n in range(14)]
    page = check_page(report_html(full(work)))
    assert all("open" not in given for given in page.all("details")[:2])
    assert "and 4 more" in page.text
