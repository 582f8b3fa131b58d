"""Flow charts and schedules."""

from __future__ import annotations

import itertools

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Region, begin, text_scale
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour, Sheet, mix
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import Face, measure
from panelwise_simulator.kinds import Generator


def fitted(text: str, face: Face, wide: float, high: float) -> tuple[str, Face]:
    """The text broken into lines and made smaller until it fits a box of that size."""
    for scale in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
        small = face.scaled(scale)
        lines: list[str] = []
        for part in text.split("\n"):
            line = ""
            for word in part.split(" "):
                longer = f"{line} {word}".strip()
                if line and measure(longer, small) > wide:
                    lines.append(line)
                    line = word
                else:
                    line = longer
            lines.append(line)
        if len(lines) * small.size * 1.15 <= high and all(measure(line, small) <= wide for line in lines):
            break
    return "\n".join(lines), small


class Boxes:
    """Draws boxes of one look with texts in them."""

    def __init__(self, rng: Generator, sheet: Sheet, style: Style, face: Face) -> None:
        self.sheet, self.style, self.face = sheet, style, face
        self.look = pick(rng, ("plain", "plain", "filled", "filled", "strong", "shadow"))
        self.radius = float(rng.choice([0.0, 0.0, 4.0, 8.0]))
        self.ink: Colour = BLACK if self.look != "filled" or chance(rng, 0.5) else (90, 90, 90)
        self.tints = [mix(style.stroke(place), float(rng.uniform(0.15, 0.4))) for place in range(5)]
        self.texts = min(sheet.width, sheet.height) >= 90

    def box(
        self, x: float, y: float, wide: float, high: float, text: str, tint: int = 0, left: bool = False
    ) -> None:
        """A box about its middle."""
        x0, y0, x1, y1 = x - wide / 2, y - high / 2, x + wide / 2, y + high / 2
        strong = self.look == "strong"
        fill = WHITE if self.look == "plain" else self.style.stroke(tint) if strong else self.tints[tint % 5]
        if self.look == "shadow":
            self.sheet.rectangle(x0 + 2, y0 + 2, x1 + 2, y1 + 2, (170, 170, 170), radius=self.radius)
        self.sheet.rectangle(
            x0, y0, x1, y1, fill, None if strong else self.ink, 1.0, radius=min(self.radius, high / 3)
        )
        if self.texts:
            lines, face = fitted(text, self.face, wide - 5, high - 2)
            colour = WHITE if strong and sum(fill) < 420 else BLACK
            if left:
                self.sheet.text(x0 + 4, y, lines, face, colour, "lm")
            else:
                self.sheet.text(x, y, lines, face, colour)


def flow_chart(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A study's flow of participants, or the steps of a method: one panel, although it consists of many boxes."""
    sheet, style, region = begin(rng, width, height, style)
    face = style.tick_face(text_scale(region) * 1.05)
    boxes = Boxes(rng, sheet, style, face)
    if chance(rng, 0.5) and width > 150:
        _trial(rng, sheet, region, boxes)
    else:
        _steps(rng, sheet, region, boxes)
    return sheet.done()


def _trial(rng: Generator, sheet: Sheet, region: Region, boxes: Boxes) -> None:
    x0, y0, x1, y1 = region
    wide = x1 - x0
    screened = int(rng.integers(80, 4600))
    out = int(screened * rng.uniform(0.1, 0.5))
    entered = screened - out
    first, second = pick(
        rng,
        (
            ("intervention", "usual care"),
            ("Drug A", "placebo"),
            ("surgery", "conservative"),
            ("training", "control"),
        ),
    )
    verb = pick(rng, ("Randomised", "Enrolled", "Included", "Randomized"))
    arm = entered // 2
    rows = int(rng.integers(4, 6))
    pitch = (y1 - y0) / rows
    high = pitch * float(rng.uniform(0.52, 0.68))
    ys = [y0 + high / 2 + place * (y1 - y0 - high) / (rows - 1) for place in range(rows)]
    _middle, left, right = x0 + wide * 0.5, x0 + wide * 0.25, x0 + wide * 0.75
    ink = boxes.ink
    head = min(4.5, pitch * 0.1 + 1.5)
    half = (ys[0] + ys[1]) / 2
    start = x0 + wide * 0.32
    sheet.arrow((start, ys[0] + high / 2), (start, ys[1] - high / 2), ink, 1.0, head)
    sheet.arrow((start, half), (x0 + wide * 0.58, half), ink, 1.0, head)
    fork = (ys[1] + ys[2]) / 2
    sheet.line([(start, ys[1] + high / 2), (start, fork)], ink, 1.0)
    sheet.line([(left, fork), (right, fork)], ink, 1.0)
    for x in (left, right):
        sheet.arrow((x, fork), (x, ys[2] - high / 2), ink, 1.0, head)
        for place in range(2, rows - 1):
            sheet.arrow((x, ys[place] + high / 2), (x, ys[place + 1] - high / 2), ink, 1.0, head)
    boxes.box(
        start,
        ys[0],
        wide * 0.5,
        high,
        f"{pick(rng, ('Assessed for eligibility', 'Patients screened', 'Records identified'))}\n(n = {screened})",
    )
    boxes.box(
        x0 + wide * 0.79,
        half,
        wide * 0.42,
        min(high * 1.3, pitch),
        f"Excluded (n = {out})\n{pick(rng, ('criteria not met', 'declined', 'missing data'))}",
        1,
        True,
    )
    boxes.box(start, ys[1], wide * 0.5, high, f"{verb}\n(n = {entered})")
    for x, name, people in ((left, first, arm), (right, second, entered - arm)):
        lost = int(people * rng.uniform(0.02, 0.15))
        texts = [
            f"Allocated to {name}\n(n = {people})",
            f"Lost to follow-up\n(n = {lost})",
            f"Analysed\n(n = {people - lost})",
        ]
        for place, text in enumerate(texts[: rows - 3] + texts[-1:]):
            boxes.box(x, ys[2 + place], wide * 0.44, high, text, 2 if place != 1 else 1)


_METHODS = (
    ("Protein profiles of 20 query organisms", "Remove profiles in > 90% of genomes", "Hierarchical clustering",
    "Hamming distance cut-off of 0.15", "Consensus profiles", "Repeat until stable"),
    ("Raw reads", "Quality control", "Alignment (STAR)", "Counting", "DESeq2", "GO enrichment"),
    ("Image acquisition", "Pre-processing", "Segmentation", "Feature extraction", "Classifier", "Evaluation"),
    ("Sample collection", "DNA extraction", "Library preparation", "Sequencing", "Assembly", "Annotation"),
    ("Records identified", "Duplicates removed", "Titles screened", "Full text assessed", "Studies included"),
    ("Define question", "Collect data", "Clean", "Train model", "Cross-validate", "Deploy"),
    ("Cell culture", "Lysis", "Trypsin digestion", "LC-MS/MS", "Database search", "Quantification"),
)  # fmt: skip


def _steps(rng: Generator, sheet: Sheet, region: Region, boxes: Boxes) -> None:
    x0, y0, x1, y1 = region
    wide, tall = x1 - x0, y1 - y0
    steps = pick(rng, _METHODS)
    ink = boxes.ink
    texts = boxes.texts
    if wide > tall * 1.5:
        steps = steps[:5]
        rows = 2 if tall > 150 and chance(rng, 0.5) else 1
        per = -(-len(steps) // rows)
        slot = wide / per
        box_wide, high = slot * 0.74, min(tall / rows * 0.62, 80.0)
        for place, step in enumerate(steps):
            x, y = x0 + (place % per) * slot + box_wide / 2 + 1, y0 + (place // per + 0.5) * tall / rows
            boxes.box(x, y, box_wide, high, step, place if chance(rng, 0.5) else 0)
            if place % per < per - 1 and place < len(steps) - 1:
                sheet.arrow((x + box_wide / 2, y), (x + slot - box_wide / 2, y), ink, 1.3, 4.0)
            elif place < len(steps) - 1:
                sheet.line(
                    [(x, y + high / 2), (x, y + tall / rows / 2), (x0 + box_wide / 2, y + tall / rows / 2)],
                    ink,
                    1.3,
                )
                sheet.arrow(
                    (x0 + box_wide / 2, y + tall / rows / 2),
                    (x0 + box_wide / 2, y + tall / rows - high / 2),
                    ink,
                    1.3,
                    4.0,
                )
        return
    count = max(2, min(len(steps), int(tall / 34)))
    pitch = tall / count
    high = pitch * 0.62
    numbered = chance(rng, 0.3) and texts
    side = chance(rng, 0.5) and wide > 200
    main = wide * (0.58 if side else float(rng.uniform(0.7, 1.0))) - (16 if numbered else 0)
    x = x0 + main / 2 + 1 + (16 if numbered else 0)
    decision = int(rng.integers(1, count)) if chance(rng, 0.35) and count > 3 else -1
    for place in range(count):
        y = y0 + high / 2 + place * (tall - high) / (count - 1)
        if place == decision:
            corners = [(x, y - pitch * 0.42), (x + main * 0.34, y), (x, y + pitch * 0.42), (x - main * 0.34, y)]
            sheet.polygon(corners, boxes.tints[2], ink, 1.0)
            if texts:
                lines, face = fitted(
                    pick(rng, ("QC passed?", "n > 10?", "Valid?", "Converged?")),
                    boxes.face,
                    main * 0.4,
                    pitch * 0.5,
                )
                sheet.text(x, y, lines, face)
        else:
            boxes.box(x, y, main - 2, high, steps[place], place % 3 if boxes.look != "plain" else 0)
        if numbered:
            sheet.ellipse(x0 + 8, y - high / 2 + 6, 7, 7, WHITE, ink, 1.0)
            sheet.text(x0 + 8, y - high / 2 + 6, str(place + 1), boxes.face.scaled(0.85), BLACK)
        if place < count - 1:
            gap = pitch * (0.42 if place == decision else 0.31)
            below = y + (tall - high) / (count - 1) - (pitch * 0.42 if place + 1 == decision else high / 2)
            sheet.arrow((x, y + gap), (x, below), ink, 1.2, min(4.0, pitch * 0.12))
        if side and place % 2 == 1:
            at = x0 + wide * 0.83
            boxes.box(
                at,
                y,
                wide * 0.32,
                high * 0.85,
                pick(
                    rng, ("Excluded\n(n = 12)", "Literature", "Database", "Expert review", "Parameters", "n = 34")
                ),
                3,
            )
            inside = x + (main * 0.34 if place == decision else main / 2 - 1)
            sheet.arrow((inside, y), (at - wide * 0.16, y), ink, 1.0, 3.5)


def timeline(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """An experiment's schedule: a bar or arrow of days with injections, treatments and read-outs."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    _wide, tall = x1 - x0, y1 - y0
    face = style.tick_face(text_scale(region))
    texts = min(width, height) >= 60 and width >= 120
    unit, days = pick(
        rng,
        (
            ("Day", (0, 3, 7, 14, 21)),
            ("Week", (0, 2, 4, 8, 12)),
            ("h", (0, 6, 24, 48)),
            ("P", (0, 7, 14, 30, 60)),
            ("Day", (-7, 0, 1, 5, 10, 28)),
            ("Month", (0, 3, 6, 12)),
        ),
    )
    events = (
        "Tumour\ninjection",
        "Treatment",
        "Imaging",
        "Sacrifice",
        "Surgery",
        "Blood\nsample",
        "Behaviour",
        "TAM i.p.",
        "FACS",
        "Harvest",
        "Baseline",
        "LPS",
        "RNA-seq",
        "Follow-up",
    )
    rows = max(1, min(3, int(tall / 80)))
    names_of = [pick(rng, ("Group 1", "Control", "Vehicle", "Cohort A")), "Treated", "Combo"]
    left = x0 + (measure("Cohort A", style.label_face(text_scale(region))) + 8 if rows > 1 and texts else 4)
    for row in range(rows):
        base = y0 + tall * (row + 0.55) / rows
        space = tall / rows
        if chance(rng, 0.5):
            sheet.arrow((left, base), (x1, base), BLACK, 2.0, 5.0)
        else:
            cuts = np.linspace(left, x1 - 1, len(days)).tolist()
            for place, (a, b) in enumerate(itertools.pairwise(cuts)):
                sheet.rectangle(a, base - 5, b, base + 5, mix(style.stroke(place), 0.5), BLACK, 0.8)
        for place, day in enumerate(days):
            x = left + 4 + (x1 - left - 16) * place / (len(days) - 1)
            sheet.rule(x, base - 5, x, base + 5, BLACK, 1.2)
            if texts:
                sheet.text(
                    x,
                    base + 9,
                    (f"{unit} {day}" if place == 0 or unit in "P" else str(day)).replace("-", "−"),
                    face,
                    BLACK,
                    "mt",
                )
            if texts and chance(rng, 0.8) and space > 40:
                lines, small = fitted(pick(rng, events), face, (x1 - left) / len(days) * 0.95, space * 0.25)
                sheet.arrow((x, base - min(24.0, space * 0.25)), (x, base - 7), style.stroke(place), 1.3, 3.5)
                sheet.text(x, base - min(26.0, space * 0.27), lines, small, BLACK, "mb")
        if texts and space > 60 and chance(rng, 0.7):
            a, b = sorted(rng.uniform(0.1, 0.95, 2).tolist())
            b = max(b, a + 0.2)
            row_y = base + face.size * 2.0
            sheet.rectangle(
                left + a * (x1 - left) * 0.8,
                row_y,
                left + b * (x1 - left) * 0.8,
                row_y + face.size * 1.2,
                mix(style.stroke(row + 1), 0.35),
            )
            sheet.text(
                left + (a + b) / 2 * (x1 - left) * 0.8,
                row_y + face.size * 0.6,
                pick(rng, ("Diet", "Drug (daily)", "Dox", "Training", "Recovery")),
                face,
            )
        if rows > 1 and texts:
            sheet.text(x0, base, names_of[row], style.label_face(text_scale(region)), BLACK, "lm")
    return sheet.done()
