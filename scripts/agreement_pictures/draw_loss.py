"""Pictures about where agreement is lost."""

from __future__ import annotations

from agreement.score.detection import IOU_THRESHOLDS
from agreement.score.losses import Loss
from agreement_pictures.canvas import Sheet, known, short
from agreement_pictures.worked import HEIGHTS, four_boxes, lost, lost_by_cause, seeded, worst

#: What each cause looks like, in few words.
LOOKS = {
    Loss.NO_BOX: "the other drew nothing there",
    Loss.WRONG_BOX: "they drew, but elsewhere",
    Loss.OTHER_PANEL: "words of the neighbour",
    Loss.BOUNDARY: "a few words at the edge",
    Loss.MISSING: "the other marked less",
    Loss.SURPLUS: "the other marked more",
}


def draw_losses() -> Sheet:
    """Draw the loss to 1 by cause."""
    score, causes = known(lost().score), lost_by_cause()
    shown = [(cause, share) for cause, share in causes.items() if cause in LOOKS]
    sheet = Sheet(
        "losses",
        112 + 34 * len(shown),
        f"A bar from 0 to 1, filled to the score of {short(score)}. The rest, {short(1 - score)}, is cut into "
        "causes: missing box and wrong box cost most, then missing and extra text, text of another panel, "
        "boundary.",
    )
    sheet.text(30, 34, f"score {short(score)}", "bold")
    sheet.text(610, 34, f"lost {short(1 - score)}", "bold bad", "end")
    sheet.rect(30, 46, 580 * score, 22, "fill a")
    sheet.rect(30 + 580 * score, 46, 580 * (1 - score), 22, "fill bad")
    whole = 1 - score
    for row, (cause, share) in enumerate(sorted(shown, key=lambda each: -each[1])):
        y = 96 + 34 * row
        sheet.text(30, y + 14, cause.display)
        sheet.bar(215, y, 115, share / whole, "bad")
        sheet.text(342, y + 14, short(share, 3))
        sheet.text(400, y + 14, LOOKS[cause], "small quiet")
    return sheet


def draw_boxes() -> Sheet:
    """F1 of the boxes falls as the threshold rises."""
    boxes = four_boxes()
    mean_f1, mean_iou = known(boxes.mean_f1()), known(boxes.mean_iou())
    sheet = Sheet(
        "boxes",
        330,
        "Four boxes of two annotators overlap by .97, .88, .66 and .42. The share of matched boxes falls in steps "
        "as the threshold goes from .50 to .95.",
    )
    for place, high in enumerate(HEIGHTS):
        x, y = 50 + 140 * place, 44
        sheet.rect(x, y, 90, 70, "line thick a")
        sheet.rect(x, y, 90, 0.7 * high, "line thick b dash")
        sheet.text(x + 45, 34, f"IoU {short(high / 100)}", "small", "middle")
    left, top, wide, tall = 90, 150, 310, 120
    for value in (0.0, 0.5, 1.0):
        height = top + tall * (1 - value)
        sheet.line(left, height, left + wide, height)
        sheet.text(left - 12, height + 5, short(value, 1), "small quiet", "end")
    step = wide / len(IOU_THRESHOLDS)
    for place, threshold in enumerate(IOU_THRESHOLDS):
        f1 = known(boxes.f1(threshold))
        sheet.rect(left + place * step + 3, top + tall * (1 - f1), step - 6, max(tall * f1, 1), "fill a")
        sheet.text(left + (place + 0.5) * step, top + tall + 18, short(threshold), "small quiet", "middle")
    sheet.text(left + wide / 2, top + tall + 42, "a match counts from this IoU on", "small quiet", "middle")
    sheet.text(430, 186, f"mean F1 {short(mean_f1)}", "bold")
    sheet.text(430, 206, "of the ten bars", "small quiet")
    sheet.text(430, 240, f"mean IoU {short(mean_iou)}", "bold")
    sheet.text(430, 260, "of those from .50 on", "small quiet")
    return sheet


def draw_worst() -> Sheet:
    """A short list, and what to look at in each."""
    figures = worst()
    sheet = Sheet(
        "worst-figures",
        74 + 34 * len(figures),
        "A list of six figures with a bar for each one's score, the lowest first, and beside it the cause that "
        "cost most: missing box, wrong box, and so on.",
    )
    sheet.text(30, 34, "figure", "small quiet")
    sheet.text(130, 34, "score", "small quiet")
    sheet.text(400, 34, "lost most to", "small quiet")
    for row, each in enumerate(figures):
        y = 50 + 34 * row
        sheet.text(30, y + 14, f"figure {row + 1}")
        sheet.bar(130, y, 190, each.score, "a")
        sheet.text(332, y + 14, short(each.score))
        sheet.text(400, y + 14, each.cause)
    return sheet


def draw_seeded() -> Sheet:
    """Work that began from a prediction agrees more."""
    report = seeded()
    every, begun, nothing = known(report.iaa), known(report.seeded.iaa), known(report.seeded.unseeded_iaa)
    sheet = Sheet(
        "seeded",
        196,
        f"Three bars: all figures {short(every)}, those that began from a prediction {short(begun)}, "
        f"those drawn from nothing {short(nothing)}.",
    )
    rows = (
        ("all figures", every, "quiet", ""),
        ("began from a prediction", begun, "b", "they agree with the model, too"),
        ("drawn from nothing", nothing, "a", "people alone: report this one"),
    )
    for row, (name, score, kind, remark) in enumerate(rows):
        y = 30 + 52 * row
        sheet.text(30, y + 15, name, "bold" if kind == "a" else "")
        sheet.bar(245, y, 285, score, kind, 22)
        sheet.text(545, y + 17, short(score), "bold")
        sheet.text(245, y + 40, remark, "small quiet")
    return sheet
