"""Radar charts and directions."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import begin, text_scale
from panelwise_simulator.drawers.vector.sheet import WHITE, Colour
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import FINE
from panelwise_simulator.kinds import Generator


def radar(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Scores on spokes, or directions on a polar plot."""
    sheet, style, region = begin(rng, width, height, style)
    face = style.tick_face(text_scale(region))
    polar = chance(rng, 0.35)
    texts = min(width, height) >= 90
    spokes = ("0°", "45°", "90°", "135°", "180°", "225°", "270°", "315°") if polar else pick(rng, (
        ("Availability", "Encounter", "Selectivity", "Effort", "Impact", "Access", "Preference"), ("Speed",
        "Accuracy", "Memory", "Cost", "Robustness"),
        ("Physical", "Social", "Emotional", "Role", "Pain", "Vitality"), ("Sweet", "Sour", "Salty", "Bitter",
        "Umami", "Odour"),
    ))  # fmt: skip
    count = len(spokes)
    room = face.size * 1.5 if texts else 2.0
    side = max(len(spoke) for spoke in spokes) * face.size * 0.5 if texts else 2.0
    radius = max(14.0, min((width - 2 * min(side, width * 0.22)) / 2, height / 2 - room))
    x, y = width / 2, height / 2
    angles = [(-math.pi / 2 + 2 * math.pi * place / count) for place in range(count)]
    grid: Colour = (190, 190, 190)
    rings = int(rng.integers(3, 6))
    for ring in range(1, rings + 1):
        r = radius * ring / rings
        if polar or chance(rng, 0.2):
            sheet.ellipse(x, y, r, r, None, grid, 0.8)
        else:
            sheet.line([(x + math.cos(a) * r, y + math.sin(a) * r) for a in [*angles, angles[0]]], grid, 0.8)
    for a, spoke in zip(angles, spokes, strict=True):
        sheet.line([(x, y), (x + math.cos(a) * radius, y + math.sin(a) * radius)], grid, 0.8)
        if texts:
            anchor = ("l" if math.cos(a) > 0.2 else "r" if math.cos(a) < -0.2 else "m") + "m"
            sheet.text(
                x + math.cos(a) * (radius + 4),
                y + math.sin(a) * (radius + face.size * 0.8),
                spoke,
                face,
                style.ink,
                anchor,
            )
    if polar and chance(rng, 0.5):
        for place in range(24):
            a, share = place / 24 * 2 * math.pi, float(rng.beta(1.6, 2.2))
            sheet.pen.pieslice([(x - radius * share) * FINE, (y - radius * share) * FINE,
            (x + radius * share) * FINE, (y + radius * share) * FINE],
                               math.degrees(a), math.degrees(a) + 15, fill=style.stroke(0),
                               outline=WHITE)  # fmt: skip
        return sheet.done()
    for place in range(int(rng.integers(1, 4))):
        points = 60 if polar else count
        shares = np.clip(
            0.6
            + 0.15 * np.sin(np.linspace(0, 2 * math.pi, points + 1) * int(rng.integers(1, 4)) + place)
            + rng.normal(0, 0.02 if polar else 0.14, points + 1),
            0.1,
            1.0,
        )
        shares[-1] = shares[0]
        turns = -math.pi / 2 + np.linspace(0, 2 * math.pi, points + 1)
        outline = list(
            zip(
                (x + np.cos(turns) * shares * radius).tolist(),
                (y + np.sin(turns) * shares * radius).tolist(),
                strict=True,
            )
        )
        if chance(rng, 0.5):
            sheet.veil(outline, style.stroke(place), 0.25)
        sheet.line(outline, style.stroke(place), style.line)
        if not polar:
            for a, b in outline:
                sheet.marker(a, b, 2.0, style.stroke(place))
    return sheet.done()
