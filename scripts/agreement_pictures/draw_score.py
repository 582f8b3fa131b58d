"""Pictures of the score itself, its interval, and where agreement is lost."""

from __future__ import annotations

from agreement.pairs.pairwise import Passed
from agreement.score.detection import IOU_THRESHOLDS
from agreement.score.losses import Loss
from agreement_pictures import worked
from agreement_pictures.canvas import (
    BAD,
    EDGE,
    FAINT,
    INK,
    QUIET,
    A,
    B,
    Sheet,
    bars,
    box,
    cells,
    known,
    short,
    whiskers,
)
from agreement_pictures.work import WORDS

#: Widths of the fourteen words of the caption as chips.
_CHIPS = (36, 26, 24, 24, 26, 24, 42, 50, 58, 24, 28, 24, 50, 50)
#: What each cause looks like, in few words.
_LOOKS = {
    Loss.NO_BOX: "the other drew nothing there",
    Loss.WRONG_BOX: "they drew, but elsewhere",
    Loss.OTHER_PANEL: "words of the neighbour",
    Loss.BOUNDARY: "a few words at the edge",
    Loss.MISSING: "the other marked less",
    Loss.SURPLUS: "the other marked more",
}


def draw_gate() -> Sheet:
    """The box decides whether the text is looked at."""
    sheet = Sheet(
        "gate",
        250,
        "Three pairs of boxes: IoU .80 and .50 count, .40 does not.",
    )
    for place, ((iou, score), edges) in enumerate(zip(worked.gate(), worked.GATE_BOXES, strict=True)):
        left = 50 + 195 * place
        axes = sheet.plain(left, 60, 140, 100, xlim=(0, 100), ylim=(100, 0))
        box(axes, (0, 0, 100, 100), A)
        box(axes, edges, B, "--")
        sheet.text(left + 70, 40, f"IoU {short(iou)}", weight="bold", ha="center")
        if score.matches[0] is not None:
            sheet.text(left + 70, 190, "the text is compared", ha="center")
        else:
            sheet.text(left + 70, 190, "score 0", color=BAD, weight="bold", ha="center")
            sheet.note(left + 70, 212, "whatever the text", ha="center")
    sheet.note(50, 236, "full line: gold; dashed: the other annotator")
    return sheet


def draw_token_f1() -> Sheet:
    """Words that both marked, against words that either did."""
    sheet = Sheet(
        "token-f1",
        222,
        "Gold marks four words, the other three: F1 .86.",
    )
    gold, other = worked.GOLD_WORDS, worked.OTHER_WORDS
    score = known(worked.one_panel((0, 0, 100, 100), other).mean)
    for y, name, colour, marked in ((44, "gold marks", A, gold), (112, "the other marks", B, other)):
        sheet.text(50, y - 8, f"{name} {len(marked)} words", size=14, color=colour)
        axes, x = sheet.plain(50, y, 540, 28), 0
        for place, (word, width) in enumerate(zip(WORDS, _CHIPS, strict=True)):
            if place in marked:
                box(axes, (x, 0, x + width - 4, 28), colour)
            ink = INK if place in marked else QUIET
            axes.text(x + width / 2 - 2, 14, word, ha="center", va="center_baseline", color=ink)
            x += width
    sums = f"F1 = 2 · {len(gold & other)} words of both / ({len(gold)} + {len(other)}) = {short(score)}"
    sheet.text(50, 186, sums, weight="bold")
    sheet.note(50, 208, "Brackets and colons do not count; marking them, or not, loses nothing.")
    return sheet


def draw_pairs() -> Sheet:
    """Each annotator as gold, in rows, against each other."""
    report = worked.three_people()
    sheet = Sheet(
        "pairs",
        250,
        "The matrix of three annotators: six scores, mean .51.",
    )
    names = [each.name for each in report.annotators]
    scores = {(pair.gold, pair.predicted): known(pair.score) for pair in report.pairs}
    rows = [[short(scores[gold, other]) if gold != other else "" for other in names] for gold in names]
    places = [(row, column) for row in range(3) for column in range(3)]
    fills = {(row, column): (A, 0.05 + 0.5 * scores.get((names[row], names[column]), 0)) for row, column in places}
    axes = sheet.plain(130, 62, 270, 156)
    cells(axes, rows, fills)
    for place, name in enumerate(names):
        axes.text(place + 0.5, -0.2, name, ha="center", weight="bold")
        axes.text(-0.25, place + 0.5, name, ha="center", va="center_baseline", weight="bold")
    sheet.note(265, 28, "scored against it", ha="center")
    sheet.note(30, 92, "taken\nas gold", va="top")
    sheet.text(440, 100, "the mean of the six")
    sheet.text(440, 136, f"IAA {short(known(report.iaa))}", size=24, weight="bold")
    sheet.note(440, 160, "B stands out: both\nothers agree less\nwith B", va="top")
    return sheet


def draw_roles() -> Sheet:
    """A surplus box costs in one role only."""
    people = {each.name: each for each in worked.surplus_box().annotators}
    sheet = Sheet(
        "gold-and-predictor",
        262,
        "Ann draws two panels, ben three: scores 1 and .67.",
    )
    table = (("ann", A, "-", 2, "draws less than the rest"), ("ben", B, "--", 3, "draws more than the rest"))
    for place, (name, colour, style, panels, remark) in enumerate(table):
        left, y = 50 + 310 * place, 178 + 26 * place
        sheet.text(left, 34, f"{name} draws {panels} panels", color=colour, weight="bold")
        axes = sheet.plain(left, 48, 228, 68, xlim=(0, 3), ylim=(1, 0))
        cells(axes, ["ABC"[:panels].ljust(3)], {(0, column): (FAINT, 1) for column in range(3)})
        for column in range(panels):
            box(axes, (column + 0.05, 0.05, column + 0.95, 0.95), colour, style)
        sheet.text(50, y, name, color=colour, weight="bold")
        sheet.text(200, y, short(known(people[name].as_gold)))
        sheet.text(330, y, short(known(people[name].as_predicted)))
        sheet.note(440, y, remark, color=INK)
    for x, words in ((50, "annotator"), (200, "as gold"), (330, "as predicted")):
        sheet.note(x, 150, words)
    sheet.note(50, 240, "An extra box costs nothing to the person who drew it, until their work is the gold.")
    return sheet


def draw_counts() -> Sheet:
    """Draw which submitted figures the score is based on."""
    counts = worked.counted().counts
    by_one, by_both = (len(counts.passed[why]) for why in (Passed.REJECTED, Passed.BOTH_REJECTED))
    sheet = Sheet(
        "counts",
        256,
        f"{counts.figures} figures as squares, of which {counts.scored} are scored.",
    )
    groups = (
        (counts.scored, A, "-", "+ +", "both accepted: scored"),
        (by_one, BAD, "--", "+ −", "rejected by one: left out, and counted for kappa"),
        (by_both, BAD, "--", "− −", "rejected by both: left out, and counted for kappa"),
        (counts.figures - counts.shared, QUIET, "--", "+", "submitted by one: nothing to compare"),
    )
    axes, place = sheet.plain(50, 32, 540, 48, xlim=(0, counts.figures), ylim=(1, 0)), 0
    cells(axes, [[mark for number, _, _, mark, _ in groups for _ in range(number)]], {})
    for row, (number, colour, style, _, remark) in enumerate(groups):
        for each in range(place, place + number):
            box(axes, (each + 0.08, 0.05, each + 0.92, 0.95), colour, style)
        place += number
        sheet.text(50, 122 + 30 * row, str(number), color=colour, weight="bold")
        sheet.text(82, 122 + 30 * row, remark)
    left_out = sum(counts.left_out.values())
    sheet.note(50, 240, f"in the scored ones, gold subfigures without a subcaption: {left_out}")
    return sheet


def draw_interval() -> Sheet:
    """More figures of the same kinds, a narrower interval."""
    sheet = Sheet(
        "interval",
        300,
        "With 32 figures instead of eight the interval is half as wide.",
    )
    for top, times in ((40, 1), (160, 4)):
        report = worked.resampled(times)
        low, high = known(report.intervals.iaa)
        sheet.text(60, top, f"{len(worked.EIGHT) * times} figures", weight="bold")
        sheet.text(60, top + 81, f"{short(low)} to {short(high)}", color=A)
        axes = sheet.axes(60, top + 4, 520, 46, xlim=(0.39, 1.01), ylim=(-1, 11), xticks=[], yticks=[])
        axes.spines["left"].set_visible(False)
        words = sorted(worked.EIGHT * times)
        heights = [words[:place].count(each) for place, each in enumerate(words)]
        axes.plot([each / 10 for each in words], heights, "o", color=A, markersize=5, clip_on=False)
        below = sheet.plain(60, top + 54, 520, 44, xlim=(0.39, 1.01))
        whiskers(below, [(known(report.iaa), (low, high))], [A])
    for tenth in range(4, 11):
        sheet.note(60 + 520 * (tenth / 10 - 0.39) / 0.62, 276, short(tenth / 10, 1), ha="center")
    sheet.note(320, 294, "a figure's score", ha="center")
    return sheet


def draw_losses() -> Sheet:
    """Draw the loss to 1 by cause."""
    score = known(worked.lost().score)
    shown = sorted(
        ((cause, share) for cause, share in worked.lost_by_cause().items() if cause in _LOOKS),
        key=lambda each: -each[1],
    )
    sheet = Sheet(
        "losses",
        112 + 34 * len(shown),
        f"A bar filled to {short(score)}; the rest, {short(1 - score)}, is divided by cause.",
    )
    sheet.text(30, 34, f"score {short(score)}", weight="bold")
    sheet.text(610, 34, f"lost {short(1 - score)}", weight="bold", color=BAD, ha="right")
    axes = sheet.plain(30, 46, 580, 22, xlim=(0, 1))
    axes.barh([11, 11], [1, score], 22, color=[BAD, A])
    rows = [(cause.display, share, _LOOKS[cause]) for cause, share in shown]
    bars(sheet.axes(215, 86, 115, 34 * len(rows)), rows, [BAD] * len(rows), 1 - score)
    return sheet


def draw_boxes() -> Sheet:
    """F1 of the boxes falls as the threshold rises."""
    boxes = worked.four_boxes()
    sheet = Sheet(
        "boxes",
        330,
        "Four pairs of boxes, and the share matched at each threshold.",
    )
    for place, high in enumerate(worked.HEIGHTS):
        axes = sheet.plain(50 + 140 * place, 44, 90, 70, xlim=(0, 100), ylim=(100, 0))
        box(axes, (0, 0, 100, 100), A, wash=0)
        box(axes, (0, 0, 100, high), B, "--", wash=0)
        sheet.note(95 + 140 * place, 34, f"IoU {short(high / 100)}", ha="center", color=INK)
    axes = sheet.axes(90, 150, 310, 120, xlim=(0.475, 0.975), ylim=(0, 1))
    axes.bar(IOU_THRESHOLDS, [known(boxes.f1(each)) for each in IOU_THRESHOLDS], 0.04, color=A)
    axes.set_xticks(IOU_THRESHOLDS, [short(each) for each in IOU_THRESHOLDS])
    axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
    axes.grid(axis="y")
    sheet.note(245, 316, "a match counts from this IoU on", ha="center")
    for y, name, value, remark in (
        (186, "mean F1", boxes.mean_f1(), "of the ten bars"),
        (240, "mean IoU", boxes.mean_iou(), "of those from .50 on"),
    ):
        sheet.text(430, y, f"{name} {short(known(value))}", weight="bold")
        sheet.note(430, y + 20, remark)
    return sheet


def draw_worst() -> Sheet:
    """A short list, and what to look at in each."""
    rows = [(f"figure {place}", each.score, each.cause) for place, each in enumerate(worked.worst(), 1)]
    sheet = Sheet(
        "worst-figures",
        74 + 34 * len(rows),
        "Six figures, the lowest score first, each with its main cause.",
    )
    for x, words in ((54, "figure"), (130, "score"), (378, "lost most to")):
        sheet.note(x, 34, words)
    bars(sheet.axes(130, 46, 190, 34 * len(rows)), rows, [A] * len(rows))
    return sheet


def draw_seeded() -> Sheet:
    """Work that began from a prediction agrees more."""
    report = worked.seeded()
    every, begun, nothing = known(report.iaa), known(report.seeded.seeded.iaa), known(report.seeded.unseeded.iaa)
    sheet = Sheet(
        "seeded",
        196,
        f"Bars: all figures {short(every)}, from a prediction {short(begun)}, from nothing {short(nothing)}.",
    )
    rows = [
        ("all figures", every, ""),
        ("began from a prediction", begun, ""),
        ("drawn from nothing", nothing, ""),
    ]
    bars(sheet.axes(215, 14, 330, 156), rows, [EDGE, B, A])
    sheet.note(215, 124, "they agree with the model, too")
    sheet.note(215, 176, "people alone: report this one")
    return sheet
