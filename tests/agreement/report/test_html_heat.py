"""The agreement matrix as a heat map: legible in every colour scheme, stronger where two agree less."""

from __future__ import annotations

import re
from typing import Any

from html_pages import a_campaign

from agreement.primitives.settings import Settings
from agreement.report.full_report import full_report
from agreement.report.html.charts import HEAT_STEPS, heat
from agreement.report.html.report import report_html
from agreement.report.summary import Report
from panelwise.domain.annotation import Annotation

QUICK = Settings(resamples=50)


def full(work: list[Annotation], settings: Settings = QUICK, **more: Any) -> Report:
    return full_report(work, settings, worst=20, **more)


def variables(style: str, name: str) -> list[str]:
    """The values of a variable of the style sheet: light, dark, on paper."""
    return re.findall(rf"--{name}: (#\w+)[;}}]", style)


def test_text_on_the_heat_map_can_be_read_in_every_scheme() -> None:
    def channels(colour: str) -> list[float]:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        return [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]

    def luminance(parts: list[float]) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: list[float], other: list[float]) -> float:
        high, low = sorted((luminance(one), luminance(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    style = report_html(full([])).partition("<style>")[2].partition("</style>")[0]
    assert (
        ".scale .heat { background: color-mix(in srgb, var(--warn) calc(4% + var(--lost) * 41%), var(--surface))"
        in style
    )
    lost = {int(step): float(part) for step, part in re.findall(r"\.heat-(\d+) \{ --lost: ([\d.]+); \}", style)}
    assert lost == {step: step / 10 for step in range(HEAT_STEPS)}
    schemes = list(zip(*(variables(style, name) for name in ("warn", "surface", "text")), strict=True))
    assert len(schemes) == 3
    for warn, surface, text in schemes:
        for part in lost.values():
            strength = 0.04 + part * 0.41
            both = zip(channels(warn), channels(surface), strict=True)
            mixed = [strength * one + (1 - strength) * other for one, other in both]
            assert contrast(mixed, channels(text)) >= 4.5


def test_the_less_two_agree_the_stronger_is_the_colour_of_their_cell() -> None:
    report = full(a_campaign(6))
    html = report_html(report)
    for pair in report.pairs:
        assert pair.score is not None
        step = round((HEAT_STEPS - 1) * heat(pair.score))
        assert f'<td class="heat heat-{step}"><b><data value="{pair.score!r}"' in html
    assert len({round((HEAT_STEPS - 1) * heat(pair.score or 0)) for pair in report.pairs}) > 1
    scale = html.partition('<p class="scale">')[2].partition("</p>")[0]
    shown = re.findall(r'<span class="step heat heat-(\d+)">([^<]+)</span>', scale)
    assert shown == [("0", "1.0"), ("2", "0.9"), ("4", "0.8"), ("6", "0.7"), ("8", "0.6"), ("10", "0.5 or less")]
    assert "the stronger the colour, the less the two agree; every cell has its number" in scale
