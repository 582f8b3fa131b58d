"""Pies, overlapping sets and forest plots."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import begin, text_scale
from panelwise_simulator.drawers.vector.plotting import a_title
from panelwise_simulator.drawers.vector.scales import Scale
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, mix
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import measure
from panelwise_simulator.kinds import Generator


def pie(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A pie or ring with shares, names beside it or in a legend."""
    sheet, style, region = begin(rng, width, height, style)
    kinds = pick(rng, (
        ("Exon", "Intron", "Intergenic", "Promoter", "UTR"), ("Diptera", "Coleoptera", "Hymenoptera", "Other"),
        ("Yes", "No"), ("Cytoplasm", "Nucleus", "Membrane", "Secreted", "Unknown"), ("CT", "MRI", "US", "X-ray"),
        ("Adenocarcinoma", "Squamous", "Small cell", "Other"), ("Oil", "Coal", "Gas", "Wind", "Solar"),
        ("Missense", "Nonsense", "Silent", "Frameshift"), ("Male", "Female"),
    ))  # fmt: skip
    shares = rng.dirichlet(np.full(len(kinds), 2.2))
    face = style.tick_face(text_scale(region))
    texts = min(width, height) >= 90
    title = a_title(rng, style) if texts else ""
    top = region[1] + (face.size * 1.5 if title else 0)
    sheet.text(width / 2, region[1] + 1, title, style.title_face(text_scale(region)), style.ink, "mt")
    legend = texts and chance(rng, 0.6)
    names_wide = max(measure(name, face) for name in kinds) + face.size * 2
    right = region[2] - names_wide if legend and width > height * 1.05 else region[2]
    low = region[3]
    if legend and right == region[2]:
        low -= len(kinds) * face.size * 1.35
    radius = min(right - region[0], low - top) / 2 - 1
    if texts and not legend:
        radius = min(radius - face.size * 1.5, (width - 2 * names_wide) / 2 + face.size * 2)
    radius = max(radius, 12.0)
    x, y = (region[0] + right) / 2, (top + low) / 2
    fine = [(x - radius) * 2, (y - radius) * 2, (x + radius) * 2, (y + radius) * 2]
    angle = float(rng.choice([-90.0, -90.0, 0.0, 35.0]))
    edge = WHITE if chance(rng, 0.5) else style.ink
    hole = float(rng.choice([0.0, 0.0, 0.0, 0.5, 0.6]))
    for place, share in enumerate(shares.tolist()):
        sweep = share * 360
        sheet.pen.pieslice(fine, angle, angle + sweep, fill=style.colour(place), outline=edge, width=2)
        turn = math.radians(angle + sweep / 2)
        inner = (x + math.cos(turn) * radius * (0.62 if hole == 0 else (1 + hole) / 2),
                 y + math.sin(turn) * radius * (0.62 if hole == 0 else (1 + hole) / 2))  # fmt: skip
        if texts and share > 0.06:
            pale = sum(style.colour(place)) > 400
            sheet.text(*inner, f"{share * 100:.0f}%", face, BLACK if pale else WHITE)
        if texts and not legend:
            side = "l" if math.cos(turn) > 0.1 else "r" if math.cos(turn) < -0.1 else "m"
            sheet.text(x + math.cos(turn) * (radius + 5), y + math.sin(turn) * (radius + face.size * 0.7),
                       kinds[place], face, style.ink, side + "m")  # fmt: skip
        angle += sweep
    if hole:
        sheet.ellipse(x, y, radius * hole, radius * hole, WHITE, edge if edge != WHITE else None)
        if texts:
            sheet.text(x, y, f"n = {int(rng.integers(20, 900))}", face, style.ink)
    if legend:
        beside = right < region[2]
        left = right + face.size * 0.6 if beside else (width - names_wide) / 2
        start = (top + low) / 2 - len(kinds) * face.size * 0.67 if beside else low + 2
        for place, name in enumerate(kinds):
            row = start + (place + 0.5) * face.size * 1.35
            r = face.size * 0.35
            sheet.rectangle(
                left,
                row - r,
                left + 2 * r,
                row + r,
                style.colour(place),
                style.ink if style.outline else None,
                0.6,
            )
            sheet.text(left + face.size, row, name, face, style.ink, "lm")
    return sheet.done()


def venn(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Two or three overlapping sets with their counts."""
    sheet, style, region = begin(rng, width, height, style)
    sets = pick(rng, (
        ("RNA-seq", "Proteome", "ChIP-seq"), ("Up", "Down", "DEGs"), ("KC", "BK", "Healthy"), ("Day 1", "Day 3",
        "Day 7"),
        ("WT", "KO", "Het"), ("TargetScan", "miRDB", "PicTar"), ("Set A", "Set B", "Set C"), ("Leaf", "Root",
        "Stem"),
    ))  # fmt: skip
    three = chance(rng, 0.55)
    face = style.label_face(text_scale(region))
    texts = min(width, height) >= 80
    room = face.size * 1.4 if texts else 0.0
    w, h = width - 2.0, height - 2.0 - room * (2 if three else 1)
    filled = chance(rng, 0.8)
    edge = style.ink if not filled or chance(rng, 0.5) else None
    if three:
        r = min(w / 3.15, h / 2.95)
        middle = (width / 2, 1 + room + h / 2 + r * 0.08)
        centres = [(middle[0] + math.cos(t) * r * 0.56, middle[1] + math.sin(t) * r * 0.52) for t in
                   (math.radians(210), math.radians(330), math.radians(90))]  # fmt: skip
        radii = [r * 0.94] * 3
    else:
        r = min(w / 3.2, h / 2.02)
        centres = [(width / 2 - r * 0.6, 1 + room + h / 2), (width / 2 + r * 0.6, 1 + room + h / 2)]
        radii = [r * 0.99, r * float(rng.uniform(0.75, 0.99))]
    colours = [style.stroke(place) for place in range(3)]
    turns = np.linspace(0, 2 * math.pi, 72)
    for (x, y), radius, colour in zip(centres, radii, colours, strict=False):
        outline = list(
            zip((x + np.cos(turns) * radius).tolist(), (y + np.sin(turns) * radius).tolist(), strict=True)
        )
        if filled:
            sheet.veil(outline, colour, 0.42)
        sheet.line(outline, edge or colour, 1.2)
    if not texts:
        return sheet.done()
    counts = [str(int(value)) for value in rng.gamma(1.2, 220, 7)]
    small = style.tick_face(text_scale(region) * 1.05)
    share = chance(rng, 0.25)
    if three:
        middle_x = sum(x for x, _ in centres) / 3
        middle_y = sum(y for _, y in centres) / 3
        for place, (x, y) in enumerate(centres):
            sheet.text(x + (x - middle_x) * 0.6, y + (y - middle_y) * 0.6, counts[place], small)
            away = (2 * middle_x - x - middle_x, 2 * middle_y - y - middle_y)
            sheet.text(middle_x + away[0] * 0.78, middle_y + away[1] * 0.78, counts[3 + place], small)
        sheet.text(middle_x, middle_y, counts[6], small)
        sheet.text(
            centres[0][0] - r * 0.3,
            centres[0][1] - r - 2,
            sets[0],
            face,
            colours[0] if edge is None else BLACK,
            "mb",
        )
        sheet.text(
            centres[1][0] + r * 0.3,
            centres[1][1] - r - 2,
            sets[1],
            face,
            colours[1] if edge is None else BLACK,
            "mb",
        )
        sheet.text(centres[2][0], centres[2][1] + r, sets[2], face, colours[2] if edge is None else BLACK, "mt")
    else:
        for place, x in enumerate((centres[0][0] - r * 0.35, centres[1][0] + r * 0.3, width / 2 + r * 0.02)):
            text = counts[place] + (f"\n({int(rng.integers(5, 60))}%)" if share else "")
            sheet.text(x, centres[0][1], text, small)
        for place, (x, y) in enumerate(centres):
            sheet.text(x, y - radii[place] - 3, sets[place], face, colours[place] if edge is None else BLACK, "mb")
    return sheet.done()


def forest_plot(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Effects with their intervals, one line each, with names to the left and numbers to the right."""
    sheet, style, region = begin(rng, width, height, style)
    face = style.tick_face(text_scale(region) * 0.92)
    texts = min(width, height) >= 90
    lines = int(np.clip((height - 50) / (face.size * 1.7), 3, 14))
    subgroups = chance(rng, 0.5)
    pool = ("Age < 65", "Age ≥ 65", "Male", "Female", "Smoker", "Non-smoker", "Diabetes", "No diabetes",
    "BMI < 30", "BMI ≥ 30",
            "Stage I–II", "Stage III–IV", "Asia", "Europe") if subgroups else tuple(
        f"{name} {year}" for name, year in zip(
            ("Smith", "Chen", "Meyer", "Garcia", "Kim", "Rossi", "Tanaka", "Singh", "Olsen", "Dubois", "Novak",
            "Silva", "Khan", "Li"),
            rng.integers(1998, 2024, 14).tolist(), strict=True))  # fmt: skip
    rows = [pool[place] for place in range(lines)]
    effects = np.exp(rng.normal(-0.25, 0.35, lines))
    spans = rng.uniform(0.12, 0.7, lines)
    left = region[0] + (max(measure(row, face) for row in rows) + 6 if texts and width > 180 else 2)
    numbers = [
        f"{e:.2f} ({e * math.exp(-s):.2f}–{e * math.exp(s):.2f})" for e, s in zip(effects, spans, strict=True)
    ]
    right = region[2] - (measure(numbers[0], face) + 8 if texts and width > 260 else 3)
    if right - left < width * 0.22:
        numbers, right = [], region[2] - 3
    low = height - (face.size * 3.0 if texts else 6)
    top = region[1] + (face.size * 1.7 if texts else 2)
    scale = Scale(0.2, 5.0, ((0.2, "0.2"), (0.5, "0.5"), (1.0, "1"), (2.0, "2"), (5.0, "5")), log=True)

    def x(value: float) -> float:
        return left + float(scale.share(min(5.0, max(0.2, value)))) * (right - left)

    pitch = (low - top) / (lines + 1.2)
    sheet.rule(left, low, right, low, style.ink, 1.0)
    sheet.line([(x(1.0), top), (x(1.0), low)], style.ink, 0.8, 3.0 if chance(rng, 0.5) else 0.0)
    colour = style.stroke(0) if chance(rng, 0.6) else BLACK
    if texts:
        for value, text in scale.ticks:
            sheet.rule(x(value), low, x(value), low + 3, style.ink, 1.0)
            sheet.text(x(value), low + 5, text, face, style.ink, "mt")
        if chance(rng, 0.6):
            sheet.text(left, height - 2, "Favours treatment", face.scaled(0.9), style.ink, "lb")
            sheet.text(right, height - 2, "Favours control", face.scaled(0.9), style.ink, "rb")
        else:
            label = pick(rng, ("Hazard ratio", "Odds ratio (95% CI)", "Relative risk"))
            sheet.text((left + right) / 2, height - 3, label, face, style.ink, "mb")
        bold = style.title_face(text_scale(region) * 0.85)
        sheet.text(region[0], region[1] + 1, "Subgroup" if subgroups else "Study", bold, style.ink, "lt")
        if numbers:
            sheet.text(region[2], region[1] + 1, pick(rng, ("HR (95% CI)", "OR (95% CI)")), bold, style.ink, "rt")
    for place, (effect, span) in enumerate(zip(effects.tolist(), spans.tolist(), strict=True)):
        y = top + (place + 0.7) * pitch
        sheet.rule(x(effect * math.exp(-span)), y, x(effect * math.exp(span)), y, colour, 1.0)
        size = max(1.6, min(pitch * 0.32, 1.2 / span))
        sheet.rectangle(x(effect) - size, y - size, x(effect) + size, y + size, colour)
        if texts and width > 180:
            sheet.text(region[0], y, rows[place], face, style.ink, "lm")
        if texts and width > 260 and numbers:
            sheet.text(region[2], y, numbers[place], face, style.ink, "rm")
    y = top + (lines + 0.6) * pitch
    total, half = float(np.exp(np.log(effects).mean())), pitch * 0.3
    sheet.polygon(
        [(x(total * 0.85), y), (x(total), y - half), (x(total / 0.85), y), (x(total), y + half)],
        mix(colour, 0.6),
        colour,
    )
    if texts and width > 180:
        sheet.text(
            region[0],
            y,
            pick(rng, ("Overall", "Total", "Summary")),
            style.title_face(text_scale(region) * 0.85),
            style.ink,
            "lm",
        )
    return sheet.done()
