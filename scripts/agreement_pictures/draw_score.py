"""Pictures about the score itself and its interval."""

from __future__ import annotations

from agreement.pairs.pairwise import Passed
from agreement_pictures.canvas import Sheet, known, short
from agreement_pictures.work import WORDS, Edges
from agreement_pictures.worked import (
    EIGHT,
    GATE_BOXES,
    GOLD_WORDS,
    OTHER_WORDS,
    counted,
    gate,
    one_panel,
    resampled,
    surplus_box,
    three_people,
)

#: Widths of the fourteen words of the caption as chips.
CHIPS = (36, 26, 24, 24, 26, 24, 42, 50, 58, 24, 28, 24, 50, 50)


def draw_gate() -> Sheet:
    """The box decides whether the text is looked at."""
    sheet = Sheet(
        "gate",
        250,
        "Three times the same gold box and another annotator's. At an IoU of .80 and of .50 the text is compared; "
        "at .40 the score is 0.",
    )
    for place, ((iou, score), box) in enumerate(zip(gate(), GATE_BOXES, strict=True)):
        x, y = 50 + 195 * place, 60
        passes = score.matches[0] is not None
        _box(sheet, (x, y, x + 140, y + 100), "a")
        _box(sheet, (x, y, x + 140, y + box[3]), "b", dashed=True)
        sheet.text(x + 70, 40, f"IoU {short(iou)}", "bold", "middle")
        sheet.text(
            x + 70, 190, "the text is compared" if passes else "score 0", "" if passes else "bad bold", "middle"
        )
        sheet.text(x + 70, 212, "" if passes else "whatever the text", "small quiet", "middle")
    sheet.text(50, 236, "full line: gold; dashed: the other annotator", "small quiet")
    return sheet


def draw_token_f1() -> Sheet:
    """Words that both marked, against words that either did."""
    sheet = Sheet(
        "token-f1",
        222,
        "The caption twice. Gold marks four words, a left lung lesion; the other marks three of them. "
        "F1 is 2 times 3, divided by 4 plus 3: .86.",
    )
    score = known(one_panel((0, 0, 100, 100), OTHER_WORDS).mean)
    for y, name, kind, marked in ((44, "gold marks", "a", GOLD_WORDS), (112, "the other marks", "b", OTHER_WORDS)):
        sheet.text(50, y - 8, f"{name} {len(marked)} words", f"small {kind}")
        kinds = [kind if place in marked else "" for place in range(len(WORDS))]
        sheet.chips(50, y, WORDS, kinds, CHIPS)
    shared = len(GOLD_WORDS & OTHER_WORDS)
    sheet.text(
        50,
        186,
        f"F1 = 2 · {shared} words of both / ({len(GOLD_WORDS)} + {len(OTHER_WORDS)}) = {short(score)}",
        "bold",
    )
    sheet.text(50, 208, "Brackets and colons do not count; who marks them, or not, loses nothing.", "small quiet")
    return sheet


def draw_pairs() -> Sheet:
    """Each annotator as gold, in rows, against each other."""
    report = three_people()
    sheet = Sheet(
        "pairs",
        250,
        "A table of three by three annotators with the score of each ordered pair; the diagonal is empty. "
        "The mean of the six is the IAA, .51.",
    )
    names = [each.name for each in report.annotators]
    scores = {(pair.gold, pair.predicted): pair.score for pair in report.pairs}
    x0, y0, wide, high = 130, 62, 90, 52
    sheet.text(x0 + 1.5 * wide, 28, "scored against it", "small quiet", "middle")
    sheet.text(30, y0 + 30, "taken", "small quiet")
    sheet.text(30, y0 + 48, "as gold", "small quiet")
    for row, gold in enumerate(names):
        sheet.text(x0 - 22, y0 + row * high + 32, gold, "bold", "middle")
        sheet.text(x0 + row * wide + wide / 2, y0 - 12, gold, "bold", "middle")
        for column, other in enumerate(names):
            x, y = x0 + column * wide, y0 + row * high
            score = scores.get((gold, other))
            sheet.rect(x, y, wide - 4, high - 4, "faint")
            if score is not None:
                sheet.rect(x, y, wide - 4, high - 4, "fill a", opacity=0.5 * score)
                sheet.text(x + (wide - 4) / 2, y + 31, short(score), "", "middle")
    sheet.text(440, 100, "the mean of the six", "")
    sheet.text(440, 136, f"IAA {short(known(report.iaa))}", "big")
    sheet.text(440, 166, "B stands out: both", "small quiet")
    sheet.text(440, 186, "others agree less", "small quiet")
    sheet.text(440, 206, "with B", "small quiet")
    return sheet


def draw_roles() -> Sheet:
    """A surplus box costs in one role only."""
    report = surplus_box()
    sheet = Sheet(
        "gold-and-predictor",
        262,
        "Ann draws two panels, ben the same two and a third. Against ann's gold ben scores 1; against ben's gold "
        "ann scores .67.",
    )
    people = {each.name: each for each in report.annotators}
    for x, name, kind, panels in ((50, "ann", "a", 2), (360, "ben", "b", 3)):
        sheet.text(x, 34, f"{name} draws {panels} panels", f"bold {kind}")
        for place in range(3):
            left = x + 76 * place
            sheet.rect(left, 48, 68, 68, "faint")
            if place < panels:
                _box(sheet, (left, 48, left + 68, 116), kind, dashed=kind == "b")
                sheet.text(left + 34, 88, "ABC"[place], "", "middle")
    sheet.text(50, 150, "annotator", "small quiet")
    sheet.text(200, 150, "as gold", "small quiet")
    sheet.text(330, 150, "as predicted", "small quiet")
    for y, name, kind in ((178, "ann", "a"), (204, "ben", "b")):
        person = people[name]
        sheet.text(50, y, name, f"bold {kind}")
        sheet.text(200, y, short(known(person.as_gold)))
        sheet.text(330, y, short(known(person.as_predicted)))
    sheet.text(440, 178, "draws less than the rest", "small")
    sheet.text(440, 204, "draws more than the rest", "small")
    sheet.text(50, 240, "A surplus box costs nothing to who drew it, until their work is the gold.", "small quiet")
    return sheet


def draw_counts() -> Sheet:
    """Draw which submitted figures the score is based on."""
    counts = counted().counts
    by_one, by_both = (len(counts.passed[why]) for why in (Passed.REJECTED, Passed.BOTH_REJECTED))
    alone = counts.figures - counts.shared
    sheet = Sheet(
        "counts",
        256,
        f"{counts.figures} figures as squares: {counts.scored} are scored; the others are left out, because one "
        f"annotator rejected them, both did, or only one submitted them.",
    )
    groups = (
        (counts.scored, "a", "+ +", "both accepted: scored"),
        (by_one, "bad", "+ −", "rejected by one: left out, and counted for kappa"),
        (by_both, "bad", "− −", "rejected by both: left out, and counted for kappa"),
        (alone, "dim", "+", "submitted by one: nothing to compare"),
    )
    x = 50.0
    for row, (number, kind, mark, told) in enumerate(groups):
        y = 106 + 30 * row
        for _ in range(number):
            sheet.rect(x, 34, 44, 44, f"fill {kind} wash")
            sheet.rect(x, 34, 44, 44, f"line {kind}{'' if row == 0 else ' dash'}")
            sheet.text(x + 22, 62, mark, "", "middle")
            x += 53
        sheet.text(50, y + 16, str(number), f"bold {kind}")
        sheet.text(82, y + 16, told)
    left_out = sum(counts.left_out.values())
    sheet.text(50, 240, f"in the scored ones, gold subfigures without a subcaption: {left_out}", "small quiet")
    return sheet


def draw_interval() -> Sheet:
    """More figures of the same kinds, a narrower interval."""
    sheet = Sheet(
        "interval",
        300,
        "Eight figures as dots, from .4 to 1, with their mean and its interval. The same eight kinds of figure "
        "four times over: the mean stays where it is, the interval is half as wide.",
    )
    left, wide = 60, 520

    def place(score: float) -> float:
        return left + wide * (score - 0.4) / 0.6

    for y, times, kind in ((40, 1, "a"), (160, 4, "a")):
        report = resampled(times)
        low, high = known(report.intervals.iaa)
        sheet.text(left, y, f"{len(EIGHT) * times} figures", "bold")
        sheet.line(left, y + 50, left + wide, y + 50)
        seen: dict[int, int] = {}
        for words in EIGHT * times:
            seen[words] = seen.get(words, 0) + 1
            sheet.dot(place(words / 10), y + 50 - 5 * (seen[words] - 1), kind, 2.4 if times > 1 else 5)
        sheet.whisker(place(low), place(high), y + 76, kind)
        sheet.dot(place(known(report.iaa)), y + 76, kind)
        sheet.text(left, y + 81, f"{short(low)} to {short(high)}", kind)
    for tenth in range(4, 11):
        sheet.text(place(tenth / 10), 276, short(tenth / 10, 1), "small quiet", "middle")
    sheet.text(place(0.7), 292, "a figure's score", "small quiet", "middle")
    return sheet


def _box(sheet: Sheet, edges: Edges, kind: str, *, dashed: bool = False) -> None:
    x0, y0, x1, y1 = edges
    sheet.rect(x0, y0, x1 - x0, y1 - y0, f"fill {kind} wash")
    sheet.rect(x0, y0, x1 - x0, y1 - y0, f"line thick {kind}" + (" dash" if dashed else ""))
