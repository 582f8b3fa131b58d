"""Pictures about time: weeks, phases, the same person twice."""

from __future__ import annotations

from agreement_pictures.canvas import Sheet, known, short
from agreement_pictures.worked_time import between, phases, repeats, weekly


def draw_drift() -> Sheet:
    """A dot and an interval for each week."""
    found = weekly()
    slope = known(found.trend.slope)
    low, high = known(found.trend.interval)
    told = "it does fall" if high < 0 else "it may be chance"
    sheet = Sheet(
        "drift",
        306,
        "Five weeks, each with a dot and an interval. The dots fall from .95 to .78; a line through them falls by "
        f"{short(abs(slope))} a week.",
    )
    left, top, wide, tall = 90, 46, 490, 190

    def place(score: float) -> float:
        return top + tall * (1 - score) / 0.4

    for value in (0.6, 0.7, 0.8, 0.9, 1.0):
        sheet.line(left, place(value), left + wide, place(value))
        sheet.text(left - 12, place(value) + 5, short(value, 1), "small quiet", "end")
    sheet.text(left - 12, 24, "IAA", "small quiet", "end")
    step = wide / len(found.periods)
    points = []
    for number, period in enumerate(found.periods):
        iaa, interval = known(period.iaa), known(period.interval)
        x = left + step * (number + 0.5)
        sheet.upright(x, place(interval[1]), place(interval[0]), "a")
        points.append((x, place(iaa)))
        sheet.text(x, place(interval[1]) - 10, short(iaa), "bold", "middle")
        sheet.text(x, top + tall + 26, period.name[5:], "small", "middle")
    sheet.path(points, "line a dash")
    for x, y in points:
        sheet.dot(x, y, "a")
    sheet.text(
        left,
        290,
        f"trend: {short(slope)} a week (95%: {short(low)} to {short(high)}), {told}",
        "small quiet",
    )
    return sheet


def draw_phases() -> Sheet:
    """Two wide intervals, and a narrow one of the difference."""
    contrast = phases().contrasts[-1]
    difference, (low, high) = known(contrast.difference), known(contrast.interval)
    sheet = Sheet(
        "phases",
        272,
        "Above, two phases with wide intervals that overlap. Below, the difference between them, figure by "
        "figure: its interval is narrow and lies wholly to the right of 0.",
    )
    left, wide = 150, 400

    def place(score: float) -> float:
        return left + wide * (score - 0.6) / 0.4

    for y, side, kind in ((50, contrast.there, "b"), (92, contrast.here, "a")):
        iaa, interval = known(side.iaa), known(side.interval)
        sheet.text(30, y + 6, f"phase {side.phase}", f"bold {kind}")
        sheet.whisker(place(interval[0]), place(interval[1]), y, kind)
        sheet.dot(place(iaa), y, kind)
        sheet.text(place(iaa), y - 12, short(iaa), "bold", "middle")
    for tenth in (6, 7, 8, 9, 10):
        sheet.text(place(tenth / 10), 130, short(tenth / 10, 1), "small quiet", "middle")
    sheet.line(30, 150, 610, 150)
    zero, scale, y = 250, 1000, 196
    sheet.text(30, y + 6, "difference", "bold")
    sheet.line(zero, 168, zero, 224, "line ink dots")
    sheet.text(zero, 244, "0: no change", "small quiet", "middle")
    sheet.whisker(zero + scale * low, zero + scale * high, y, "c")
    sheet.dot(zero + scale * difference, y, "c")
    sheet.text(zero + scale * difference, y - 14, f"+{short(difference)}", "bold", "middle")
    sheet.text(zero + scale * high + 18, y + 5, f"{short(low)} to {short(high)}: better", "c")
    return sheet


def draw_repeats() -> Sheet:
    """Draw a person's agreement with themselves beside the agreement of two people."""
    sheet = Sheet(
        "self-agreement",
        214,
        "Bars: ann with herself .97, ben with himself .78, the two with each other .80. Ben agrees with himself "
        "no better than with ann.",
    )
    rows = [(f"{each.annotator}, phases 1 and 2", known(each.score), "a") for each in repeats()]
    rows.append(("ann with ben", between(), "quiet"))
    remarks = ("steady", "decides anew each time", "cannot be much above the steadiness of both")
    for row, ((name, score, kind), remark) in enumerate(zip(rows, remarks, strict=True)):
        y = 30 + 58 * row
        sheet.text(30, y + 16, name)
        sheet.bar(220, y, 320, score, kind, 22)
        sheet.text(555, y + 17, short(score), "bold")
        sheet.text(220, y + 41, remark, "small quiet")
    return sheet
