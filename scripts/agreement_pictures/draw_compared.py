"""Pictures about models against gold: ranking, thresholds, average precision."""

from __future__ import annotations

from agreement_pictures.canvas import Sheet, known, short
from agreement_pictures.worked_time import GOLD_BOXES, SURE, by_confidence, by_iou, precision, ranked


def draw_ranking() -> Sheet:
    """Three models, and what lies between each two."""
    found = ranked()
    sheet = Sheet(
        "ranking",
        372,
        "Above, three models with scores whose intervals overlap. Below, their differences: north is ahead of "
        "south and west for sure, south and west can't be distinguished.",
    )
    left, wide = 170, 380

    def place(score: float) -> float:
        return left + wide * (score - 0.5) / 0.4

    sheet.text(30, 34, "score against gold", "small quiet")
    for row, each in enumerate(found.rows):
        low, high = known(each.interval)
        y = 62 + 36 * row
        sheet.text(30, y + 5, f"{each.rank}. {each.name}", "bold")
        sheet.whisker(place(low), place(high), y, "a")
        sheet.dot(place(known(each.score)), y, "a")
        sheet.text(590, y + 5, short(known(each.score)), "", "middle")
    for tenth in (5, 6, 7, 8, 9):
        sheet.text(place(tenth / 10), 168, short(tenth / 10, 1), "small quiet", "middle")
    sheet.line(30, 186, 610, 186)
    sheet.text(30, 216, "difference, figure by figure", "small quiet")
    zero, scale = 300, 1400
    sheet.line(zero, 226, zero, 336, "line ink dots")
    sheet.text(zero, 356, "0: alike", "small quiet", "middle")
    for row, two in enumerate(found.differences):
        low, high = known(two.joint)
        y = 244 + 36 * row
        kind = "c" if two.certain else "dim"
        sheet.text(30, y + 5, f"{two.first} − {two.second}")
        sheet.whisker(zero + scale * low, zero + scale * high, y, kind)
        sheet.dot(zero + scale * known(two.difference), y, kind)
        told = f"{two.first} is ahead" if two.certain else "can't be distinguished"
        sheet.text(610, y + 5, told, "small" if two.certain else "small quiet", "end")
    return sheet


def draw_sweep() -> Sheet:
    """The score over IoU thresholds; precision and recall over the model's own scores."""
    points, sweep = by_iou(), by_confidence()
    best = known(sweep.best_f1)
    sheet = Sheet(
        "sweep",
        290,
        "Left, a model's score falls in steps as boxes must overlap more. Right, as only its surest boxes are "
        f"kept, precision rises and recall falls; their balance F1 is best at {short(best.threshold)}.",
    )
    left, top, wide, tall = 60, 60, 230, 160

    def height(value: float) -> float:
        return top + tall * (1 - value)

    for x in (left, left + 310):
        for value in (0.0, 0.5, 1.0):
            sheet.line(x, height(value), x + wide, height(value))
            sheet.text(x - 10, height(value) + 5, short(value, 1), "small quiet", "end")
    sheet.text(left, 34, "score, by the IoU asked for", "bold")
    steps: list[tuple[float, float]] = []
    for point in points:
        along = left + wide * (point.min_iou - 0.1)
        steps += [(along, steps[-1][1])] if steps else []
        steps.append((along, height(known(point.score))))
    sheet.path(steps, "line thick a")
    for value in (0.1, 0.5, 0.95):
        sheet.text(left + wide * (value - 0.1), top + tall + 22, short(value), "small quiet", "middle")
    right = left + 310
    sheet.text(right, 34, "boxes, by how sure it is", "bold")
    for kind, style, name in (("b", " dash", "precision"), ("a", "", "recall")):
        line = []
        for spot in sweep.points:
            share = spot.precision if name == "precision" else spot.recall
            line.append((right + wide * spot.threshold, height(known(share))))
        sheet.path(line, f"line thick {kind}{style}")
    sheet.text(right + wide * 0.46, height(0.9), "precision", "small b")
    sheet.text(right + wide * 0.62, height(0.42) + 4, "recall", "small a", "end")
    chosen = right + wide * best.threshold
    sheet.line(chosen, top - 6, chosen, top + tall, "line ink dots")
    sheet.text(chosen, top + tall + 22, short(best.threshold), "small bold", "middle")
    for value in (0.0, 1.0):
        sheet.text(right + wide * value, top + tall + 22, short(value), "small quiet", "middle")
    sheet.text(left, 274, "how well boxes must fit", "small quiet")
    sheet.text(right, 274, f"best F1, {short(known(best.f1))}, from {short(best.threshold)} on", "small quiet")
    return sheet


def draw_precision() -> Sheet:
    """Boxes in order of how sure the model is, right or wrong."""
    found = precision()
    right = sum(high >= 50 for _, high in SURE)
    sheet = Sheet(
        "average-precision",
        250,
        f"Seven boxes in order of how sure the model is; {right} of them hit one of {GOLD_BOXES} gold boxes. "
        "Below each the share of right ones so far.",
    )
    sheet.text(30, 34, "a model's boxes, the surest first, at IoU .50", "bold")
    hits = 0
    for place, (sure, high) in enumerate(SURE):
        x = 112 + 64 * place
        hit = high >= 50
        hits += hit
        sheet.rect(x, 52, 52, 52, f"fill {'a' if hit else 'bad'} wash")
        sheet.rect(x, 52, 52, 52, f"line {'a' if hit else 'bad dash'}")
        sheet.text(x + 26, 84, "hit" if hit else "miss", "small", "middle")
        sheet.text(x + 26, 128, short(sure), "small quiet", "middle")
        sheet.text(x + 26, 152, short(hits / (place + 1)), "small", "middle")
        sheet.text(x + 26, 176, f"{hits}/{GOLD_BOXES}", "small", "middle")
    for y, name in ((128, "sure"), (152, "precision"), (176, "found")):
        sheet.text(30, y, name, "small quiet")
    sheet.text(30, 216, f"AP {short(known(found.ap))}", "bold")
    sheet.text(130, 216, f"at .50: {short(known(found.ap50))}", "")
    sheet.text(250, 216, f"at .75: {short(known(found.ap75))}", "")
    sheet.text(30, 238, "AP: precision on the way to finding all, mean over IoU .50 to .95", "small quiet")
    return sheet
