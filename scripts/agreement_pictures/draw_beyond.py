"""Pictures about chance and merging, time and phases, and models against gold."""

from __future__ import annotations

from agreement_pictures import worked_beyond, worked_time
from agreement_pictures.canvas import (
    BAD,
    EDGE,
    INK,
    QUIET,
    A,
    B,
    C,
    Sheet,
    bars,
    box,
    cells,
    known,
    short,
    whiskers,
)
from agreement_pictures.work import WORDS


def draw_alpha() -> Sheet:
    """Every word that counts, with what each annotator gave it to."""
    found, tokens = worked_beyond.words().tokens, worked_beyond.counted_tokens()
    nominal, masi = known(found.nominal), known(found.masi)
    panels = [worked_beyond.given(token) for token in tokens]
    alike = sum(ours == theirs for ours, theirs in panels)
    sheet = Sheet(
        "token-alpha",
        238,
        f"Nine words with two annotators' panels, alike on {alike}; alpha {short(nominal)}.",
    )
    differs = {(0, place) for place, (ours, theirs) in enumerate(panels) if ours != theirs}
    cells(sheet.plain(82, 40, 520, 116), [[""] * len(tokens)], dict.fromkeys(differs, (BAD, 0.2)))
    rows = [
        [WORDS[token] for token in tokens],
        *([" ".join(each) or "–" for each in who] for who in zip(*panels, strict=True)),
    ]
    cells(sheet.plain(82, 40, 520, 116), rows, {})
    for y, name, colour in ((103, "ann", A), (142, "ben", B)):
        sheet.text(30, y, name, weight="bold", color=colour)
    sheet.text(30, 192, f"alike: {alike} of {len(tokens)} words")
    sheet.text(240, 192, f"alpha {short(nominal)}", weight="bold")
    sheet.text(370, 192, f"by MASI {short(masi)}", weight="bold")
    sheet.note(30, 218, "–: given to no panel. That counts as an answer, too.")
    return sheet


def draw_kappa() -> Sheet:
    """The same share of alike verdicts, and two kappas."""
    sheet = Sheet(
        "kappa-and-ac1",
        322,
        "Two tables, alike on 18 of 20, with different kappas.",
    )
    for x, title, case in (
        (30, "nearly all are good", worked_beyond.SKEWED),
        (345, "half of them are", worked_beyond.EVEN),
    ):
        report = case.report()
        (status,), accepting = report.statuses, report.categories[0]
        numbers = ((case.both, case.only_ann), (case.only_ben, case.neither))
        fills = {
            (row, column): (A if row == column else BAD, 0.06 + 0.03 * numbers[row][column])
            for row in range(2)
            for column in range(2)
        }
        cells(sheet.plain(x + 92, 74, 148, 104), [[str(number) for number in row] for row in numbers], fills)
        sheet.text(x, 34, title, weight="bold")
        sheet.note(x + 166, 64, "ben accepts, rejects", ha="center")
        sheet.note(x, 104, "ann accepts")
        sheet.note(x, 156, "ann rejects")
        rows = [
            ("alike", known(status.observed), ""),
            ("kappa", known(status.kappa), ""),
            ("AC1", known(accepting.ac1), ""),
        ]
        bars(sheet.axes(x + 92, 200, 110, 102), rows, [EDGE, B, A])
    sheet.plain(319, 24, 2, 280).axvline(1, color=EDGE)
    return sheet


def draw_masi() -> Sheet:
    """Draw the distance of two sets."""
    sheet = Sheet(
        "masi",
        76 + 44 * len(worked_beyond.SETS),
        "Four pairs of sets: 0, .67, .89 and 1 apart.",
    )
    for x, head in ((30, "ann gave it to"), (150, "ben"), (230, "how far apart, by MASI")):
        sheet.note(x, 34, head)
    remarks = ("the same", "one holds the other", "they overlap", "nothing in common")
    bars(
        sheet.axes(230, 46, 160, 44 * len(worked_beyond.SETS)),
        [("", *each) for each in zip(worked_beyond.distances(), remarks, strict=True)],
        [BAD] * 4,
    )
    for row, pair in enumerate(worked_beyond.SETS):
        for left, panels, colour in zip((30, 150), pair, (A, B), strict=True):
            axes = sheet.plain(left, 54 + 44 * row, 64, 28, xlim=(0, 2), ylim=(1, 0))
            cells(axes, [panels.ljust(2)], {})
            for place in range(len(panels)):
                box(axes, (place + 0.06, 0, place + 0.94, 1), colour)
    return sheet


def draw_consensus() -> Sheet:
    """Three boxes make one; words go by votes."""
    found = worked_beyond.merged()
    sheet = Sheet(
        "consensus",
        292,
        "Three annotators' boxes, their median, and each word's votes.",
    )
    left, middle = (sheet.plain(x, 44, 175, 175, xlim=(10, 110), ylim=(100, 0)) for x in (30, 240))
    for place, ((name, part), colour, style) in enumerate(
        zip(worked_beyond.THREE.items(), (A, B, C), ("-", "--", ":"), strict=True)
    ):
        box(left, part.box.corners, colour, style, wash=0)
        sheet.text(46 + 62 * place, 250, name, weight="bold", color=colour, ha="center")
    box(middle, found.box.corners, INK)
    for x, head in ((30, "three boxes"), (240, "their median"), (430, "votes for its words")):
        sheet.text(x, 34, head, weight="bold")
    axes = sheet.plain(500, 48, 70, 40 * len(found.votes), xlim=(-0.5, 2.5), ylim=(len(found.votes) - 0.5, -0.5))
    for row, (token, names) in enumerate(found.votes.items()):
        inside = token in found.subcaption
        for place in range(len(worked_beyond.THREE)):
            colour = A if inside and place < len(names) else QUIET
            axes.plot(
                place, row, "o", color=colour, markersize=14, fillstyle="full" if place < len(names) else "none"
            )
        look = {"weight": "bold", "color": INK} if inside else {"color": QUIET}
        sheet.text(430, 73 + 40 * row, WORDS[token], **look)
        sheet.text(585, 73 + 40 * row, "in" if inside else "out", **look)
    sheet.note(30, 276, "quorum 2: a word is in from two votes on")
    return sheet


def draw_drift() -> Sheet:
    """A dot and an interval for each week."""
    found = worked_time.weekly()
    slope, (low, high) = known(found.trend.slope), known(found.trend.interval)
    sheet = Sheet(
        "drift",
        306,
        f"Five weeks fall from .95 to .78, by {short(abs(slope))} a week.",
    )
    axes = sheet.axes(90, 46, 490, 200, ylim=(0.6, 1.06))
    values = [known(period.iaa) for period in found.periods]
    ends = [known(period.interval) for period in found.periods]
    error = [
        [value - end[0] for value, end in zip(values, ends, strict=True)],
        [end[1] - value for value, end in zip(values, ends, strict=True)],
    ]
    axes.errorbar(range(len(values)), values, error, fmt="o--", color=A, markersize=11, capsize=6, capthick=2)
    axes.set_xticks(range(len(values)), [period.name[5:] for period in found.periods])
    axes.set_yticks([0.6, 0.7, 0.8, 0.9, 1], [".6", ".7", ".8", ".9", "1"])
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.grid(axis="y")
    for place, (value, (_, top)) in enumerate(zip(values, ends, strict=True)):
        axes.annotate(short(value), (place, top), (0, 8), textcoords="offset points", ha="center", weight="bold")
    sheet.note(76, 30, "IAA", ha="right")
    verdict = "it does fall" if high < 0 else "it may be chance"
    sheet.note(90, 290, f"trend: {short(slope)} a week (95%: {short(low)} to {short(high)}), {verdict}")
    return sheet


def draw_phases() -> Sheet:
    """Two wide intervals, and a narrow one of the difference."""
    contrast = worked_time.phases().contrasts[-1]
    difference, (low, high) = known(contrast.difference), known(contrast.interval)
    sheet = Sheet(
        "phases",
        272,
        "Two phases overlap; their difference lies wholly above 0.",
    )
    sides, colours = (contrast.there, contrast.here), (B, A)
    axes = sheet.axes(150, 24, 400, 84, xlim=(0.59, 1.01))
    whiskers(axes, [(known(side.iaa), known(side.interval)) for side in sides], colours)
    axes.set_xticks([0.6, 0.7, 0.8, 0.9, 1], [".6", ".7", ".8", ".9", "1"])
    for place, (side, colour) in enumerate(zip(sides, colours, strict=True)):
        sheet.text(30, 50 + 42 * place, f"phase {side.phase}", weight="bold", color=colour)
        axes.annotate(
            short(known(side.iaa)),
            (known(side.iaa), place),
            (0, 10),
            textcoords="offset points",
            ha="center",
            weight="bold",
        )
    sheet.plain(30, 149, 580, 2).axhline(1, color=EDGE)
    axes = sheet.axes(150, 168, 400, 56, xlim=(-0.1, 0.32))
    axes.axvline(0, color=INK, linestyle=":")
    whiskers(axes, [(difference, (low, high))], [C])
    axes.set_xticks([0], ["0: no change"])
    axes.annotate(
        f"+{short(difference)}", (difference, 0), (0, 12), textcoords="offset points", ha="center", weight="bold"
    )
    axes.annotate(
        f"{short(low)} to {short(high)}: better",
        (high, 0),
        (18, 0),
        textcoords="offset points",
        va="center",
        color=C,
    )
    sheet.text(30, 202, "difference", weight="bold")
    return sheet


def draw_repeats() -> Sheet:
    """Draw a person's agreement with themselves beside the agreement of two people."""
    sheet = Sheet(
        "self-agreement",
        214,
        "Bars: ann .97, ben .78, the two with each other .80.",
    )
    rows = [(f"{each.annotator}, phases 1 and 2", known(each.score), "") for each in worked_time.repeats()]
    bars(sheet.axes(200, 12, 350, 174), [*rows, ("ann with ben", worked_time.between(), "")], [A, A, EDGE])
    for row, remark in enumerate(
        ("steady", "decides anew each time", "cannot be much above the steadiness of both")
    ):
        sheet.note(200, 76 + 58 * row, remark)
    return sheet


def draw_ranking() -> Sheet:
    """Three models, and what lies between each two."""
    found = worked_time.ranked()
    sheet = Sheet(
        "ranking",
        372,
        "Three models whose intervals overlap, and their differences below.",
    )
    sheet.note(30, 34, "score against gold")
    axes = sheet.axes(170, 44, 380, 108, xlim=(0.5, 0.9))
    whiskers(axes, [(known(each.score), known(each.interval)) for each in found.rows], [A] * 3)
    axes.set_xticks([0.5, 0.6, 0.7, 0.8, 0.9], [".5", ".6", ".7", ".8", ".9"])
    for row, each in enumerate(found.rows):
        sheet.text(30, 67 + 36 * row, f"{each.rank}. {each.name}", weight="bold")
        sheet.text(590, 67 + 36 * row, short(known(each.score)), ha="center")
    sheet.plain(30, 185, 580, 2).axhline(1, color=EDGE)
    sheet.note(30, 216, "difference, figure by figure")
    axes = sheet.axes(170, 226, 270, 108, xlim=(-0.08, 0.14))
    axes.axvline(0, color=INK, linestyle=":")
    rows = [(known(two.difference), known(two.joint)) for two in found.differences]
    whiskers(axes, rows, [C if two.certain else QUIET for two in found.differences])
    axes.set_xticks([0], ["0: alike"])
    for row, two in enumerate(found.differences):
        sheet.text(30, 249 + 36 * row, f"{two.first} − {two.second}")
        verdict = f"{two.first} is ahead" if two.certain else "can't be distinguished"
        sheet.note(610, 249 + 36 * row, verdict, ha="right", color=INK if two.certain else QUIET)
    return sheet


def draw_sweep() -> Sheet:
    """The score over IoU thresholds; precision and recall over the model's own scores."""
    points, sweep = worked_time.by_iou(), worked_time.by_confidence()
    best = known(sweep.best_f1)
    sheet = Sheet(
        "sweep",
        290,
        f"Score by IoU threshold; precision and recall, F1 best at {short(best.threshold)}.",
    )
    left, right = (
        sheet.axes(x, 56, 230, 164, xlim=span, ylim=(0, 1.03)) for x, span in ((60, (0.1, 1)), (370, (0, 1)))
    )
    for axes, marks in ((left, (0.1, 0.5, 0.95)), (right, (0, best.threshold, 1))):
        axes.set_xticks(marks, [short(mark) for mark in marks])
        axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
        axes.grid(axis="y")
    left.step(
        [point.min_iou for point in points], [known(point.score) for point in points], where="pre", color=A, lw=3
    )
    sure = [spot.threshold for spot in sweep.points]
    right.plot(sure, [known(spot.precision) for spot in sweep.points], "--", color=B, lw=3)
    right.plot(sure, [known(spot.recall) for spot in sweep.points], color=A, lw=3)
    right.axvline(best.threshold, color=INK, linestyle=":")
    right.text(0.46, 0.9, "precision", color=B, size=14)
    right.text(0.62, 0.36, "recall", color=A, size=14, ha="right")
    sheet.text(60, 34, "score, by the IoU asked for", weight="bold")
    sheet.text(370, 34, "boxes, by how sure it is", weight="bold")
    sheet.note(60, 274, "how well boxes must fit")
    sheet.note(370, 274, f"best F1, {short(known(best.f1))}, from {short(best.threshold)} on")
    return sheet


def draw_precision() -> Sheet:
    """Boxes in order of how sure the model is, right or wrong."""
    found, gold, hits = (
        worked_time.precision(),
        worked_time.GOLD_BOXES,
        [high >= 50 for _, high in worked_time.SURE],
    )
    sheet = Sheet(
        "average-precision",
        250,
        f"Seven boxes, the surest first; {sum(hits)} hit one of {gold}.",
    )
    sheet.text(30, 34, "a model's boxes, the surest first, at IoU .50", weight="bold")
    axes = sheet.plain(110, 52, 448, 54, ylim=(1, 0))
    cells(axes, [["hit" if hit else "miss" for hit in hits]], {})
    for place, hit in enumerate(hits):
        box(axes, (place + 0.08, 0.02, place + 0.92, 0.98), A if hit else BAD, "-" if hit else "--")
    so_far = [sum(hits[: place + 1]) for place in range(len(hits))]
    rows = (
        ("sure", [short(sure) for sure, _ in worked_time.SURE]),
        ("precision", [short(number / place) for place, number in enumerate(so_far, 1)]),
        ("found", [f"{number}/{gold}" for number in so_far]),
    )
    cells(sheet.plain(110, 112, 448, 72), [words_ for _, words_ in rows], {})
    for row, (name, _) in enumerate(rows):
        sheet.note(30, 129 + 24 * row, name)
    sheet.text(30, 216, f"AP {short(known(found.ap))}", weight="bold")
    sheet.text(130, 216, f"at .50: {short(known(found.ap50))}")
    sheet.text(250, 216, f"at .75: {short(known(found.ap75))}")
    sheet.note(30, 238, "AP: precision on the way to finding all, mean over IoU .50 to .95")
    return sheet
