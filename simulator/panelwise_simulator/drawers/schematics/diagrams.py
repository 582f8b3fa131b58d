"""Boxes, arrows and the like: flow charts, pathways, networks, trees, genes, alignments."""

from __future__ import annotations

import itertools
import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.schematics.flows import fitted, flow_chart, timeline
from panelwise_simulator.drawers.schematics.schemes import schematic
from panelwise_simulator.drawers.schematics.sequences import domain_structure, sequence_alignment, tree
from panelwise_simulator.drawers.vector.axes import begin, text_scale
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour, Point, mix
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import measure
from panelwise_simulator.drawers.vector.words import GENES
from panelwise_simulator.kinds import Drawer, Generator, Kind


def pathway(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Signalling from a receptor in a membrane down to the nucleus, or a cycle of states."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    wide, tall = x1 - x0, y1 - y0
    face = style.tick_face(text_scale(region))
    texts = min(width, height) >= 90
    ink: Colour = pick(rng, (BLACK, (70, 70, 70)))
    tints = [mix(style.stroke(place), 0.45) for place in range(5)]
    pool = [gene.upper() for gene in GENES]
    names_of = [pool[int(place)] for place in rng.permutation(len(pool))[:14]]

    def node(x: float, y: float, text: str, tint: int) -> None:
        rx = max(measure(text, face) * 0.62 + 3, 10.0) if texts else 6.0
        ry = face.size * 0.85 if texts else 4.0
        rx = min(rx, wide * 0.17)
        x, y = min(max(x, x0 + rx), x1 - rx), min(max(y, y0 + ry), y1 - ry)
        if shape == "box":
            sheet.rectangle(x - rx, y - ry, x + rx, y + ry, tints[tint % 5], ink, 0.8, radius=3)
        else:
            sheet.ellipse(x, y, rx, ry, tints[tint % 5], ink if chance(rng, 0.8) else None, 0.8)
        if texts:
            lines, small = fitted(text, face, rx * 1.8, ry * 2)
            sheet.text(x, y, lines, small)

    shape = pick(rng, ("oval", "oval", "box"))
    if chance(rng, 0.3):
        count = int(rng.integers(3, 7))
        rx, ry = wide * 0.36, tall * 0.38
        for place in range(count):
            a, b = -math.pi / 2 + 2 * math.pi * place / count, -math.pi / 2 + 2 * math.pi * (place + 1) / count
            gap = 0.25 * 2 * math.pi / count
            arc = [
                (x0 + wide / 2 + math.cos(t) * rx, y0 + tall / 2 + math.sin(t) * ry)
                for t in np.linspace(a + gap, b - gap * 1.2, 10).tolist()
            ]
            sheet.line(arc[:-1], ink, 1.3)
            sheet.arrow(arc[-2], arc[-1], ink, 1.3, 4.0)
            node(x0 + wide / 2 + math.cos(a) * rx, y0 + tall / 2 + math.sin(a) * ry, names_of[place], place)
        if texts:
            sheet.text(
                x0 + wide / 2,
                y0 + tall / 2,
                pick(rng, ("Cell\ncycle", "TCA\ncycle", "Feedback", "Clock")),
                style.title_face(text_scale(region)),
            )
        return sheet.done()
    membrane = y0 + tall * 0.17
    if chance(rng, 0.3):
        sheet.rectangle(x0, y0, x1, y1, mix(style.stroke(4), 0.12))
    pitch = 6.0
    for place in range(int(wide / pitch)):
        x = x0 + (place + 0.5) * pitch
        for row in (membrane - 4, membrane + 4):
            sheet.ellipse(x, row, 2.2, 2.2, (240, 200, 120), (150, 110, 40), 0.6)
        sheet.line([(x, membrane - 2), (x, membrane + 2)], (150, 110, 40), 0.6)
    nucleus = y0 + tall * 0.78
    if chance(rng, 0.6):
        sheet.ellipse(
            x0 + wide / 2,
            y1 + tall * 0.12,
            wide * 0.46,
            tall * 0.36,
            mix((90, 120, 200), 0.18),
            (90, 120, 200),
            1.2,
        )
        sheet.rectangle(x0, y1, x1, y1 + 2, WHITE)
    lanes = 1 if wide < 130 else int(rng.integers(2, 4))
    rows = max(2, min(4, int(tall / 70)))
    used = 0
    for lane in range(lanes):
        x = x0 + wide * (lane + 0.5) / lanes
        sheet.rectangle(x - 6, membrane - 12, x - 1, membrane + 12, style.stroke(lane), ink, 0.7, radius=2)
        sheet.rectangle(x + 1, membrane - 12, x + 6, membrane + 12, style.stroke(lane), ink, 0.7, radius=2)
        if texts:
            sheet.text(
                x,
                membrane - 15,
                pick(rng, ("EGF", "TNF-α", "IL-6", "Wnt", "TGF-β", "Insulin", "LPS", "Dopamine")),
                face,
                BLACK,
                "mb",
            )
        last: Point = (x, membrane + 13)
        for row in range(rows):
            y = membrane + 13 + (nucleus - membrane - 8) * (row + 0.75) / rows
            at = x + float(rng.uniform(-0.1, 0.1)) * wide / lanes
            sheet.arrow(last, (at, y - face.size * 0.95), ink, 1.1, 3.6, blunt=chance(rng, 0.2))
            node(at, y, names_of[used % 14], lane + row)
            if lane and chance(rng, 0.35):
                sheet.arrow(
                    (at - wide / lanes * 0.32, y),
                    (at - wide / lanes * 0.66, y),
                    pick(rng, (ink, (200, 30, 30))),
                    1.0,
                    3.5,
                    blunt=chance(rng, 0.5),
                )
            used += 1
            last = (at, y + face.size * 0.95)
        sheet.arrow(last, (x0 + wide / 2 + (last[0] - x0 - wide / 2) * 0.5, y1 - face.size * 1.9), ink, 1.1, 3.6)
    if texts:
        out = pick(rng, ("Proliferation", "Apoptosis", "Inflammation", "Gene expression", "EMT", "Survival"))
        sheet.text(x0 + wide / 2, y1 - 3, out, style.title_face(text_scale(region)), BLACK, "mb")
    return sheet.done()


def network(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Nodes and their links: proteins, citations, species, brain regions on a ring."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    face = style.tick_face(text_scale(region) * 0.85)
    count = int(rng.integers(8, 46)) if min(width, height) > 100 else 8
    texts = min(width, height) >= 110 and count < 30 and chance(rng, 0.75)
    big = float(rng.uniform(4, 9)) * text_scale(region)
    pad = big + 3
    ring = chance(rng, 0.3)
    if ring:
        angles = np.arange(count) / count * 2 * math.pi
        spots = np.stack([0.5 + 0.5 * np.cos(angles), 0.5 + 0.5 * np.sin(angles)], axis=1)
    else:
        spots = rng.uniform(0, 1, (count, 2))
        for _ in range(6):
            away = spots[:, None] - spots[None]
            far = np.maximum((away**2).sum(axis=2), 1e-3)[:, :, None]
            spots = spots + np.clip((away / far).sum(axis=1) * (0.02 / count), -0.04, 0.04) - (spots - 0.5) * 0.04
        spots = (spots - spots.min(axis=0)) / np.maximum(np.ptp(spots, axis=0), 1e-6)
    xs, ys = (
        (x0 + pad + spots[:, 0] * (x1 - x0 - 2 * pad)).tolist(),
        (y0 + pad + spots[:, 1] * (y1 - y0 - 2 * pad)).tolist(),
    )
    far = ((spots[:, None] - spots[None]) ** 2).sum(axis=2)
    directed = chance(rng, 0.2)
    grey: Colour = pick(rng, ((170, 170, 170), (110, 110, 110), (200, 200, 200), (80, 80, 80)))
    degree = np.zeros(count)
    for a in range(count):
        for b in (
            np.argsort(far[a])[1 : 1 + int(rng.integers(1, 5))].tolist()
            if not ring
            else rng.integers(0, count, 3).tolist()
        ):
            if a == b:
                continue
            degree[a] += 1
            degree[b] += 1
            line = mix(style.stroke(a), 0.6) if ring and chance(rng, 0.5) else grey
            if directed:
                long = math.hypot(xs[b] - xs[a], ys[b] - ys[a]) or 1.0
                cut = big / long
                sheet.arrow(
                    (xs[a], ys[a]), (xs[b] - (xs[b] - xs[a]) * cut, ys[b] - (ys[b] - ys[a]) * cut), line, 0.9, 3.0
                )
            else:
                sheet.line([(xs[a], ys[a]), (xs[b], ys[b])], line, float(rng.choice([0.6, 0.9, 1.5])))
    sized = chance(rng, 0.6)
    start = int(rng.integers(len(GENES)))
    edge = pick(rng, (None, WHITE, BLACK))
    for place in range(count):
        radius = big * (0.5 + 0.5 * degree[place] / max(degree.max(), 1)) if sized else big * 0.8
        sheet.marker(
            xs[place],
            ys[place],
            radius,
            style.stroke(place % 4 if chance(rng, 0.8) else 0),
            edge,
            "o" if chance(rng, 0.94) else "d",
        )
        if texts:
            name = GENES[(start + place) % len(GENES)].upper()
            if chance(rng, 0.5):
                sheet.text(xs[place] + radius + 1, ys[place], name, face, BLACK, "lm")
            else:
                sheet.text(xs[place], ys[place] + radius + face.size * 0.6, name, face)
    return sheet.done()


def neural_net(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Layers of a network as blocks in a row or as nodes and links."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    face = style.tick_face(text_scale(region) * 0.95)
    texts = min(width, height) >= 90
    wide, tall = x1 - x0, y1 - y0
    room = face.size * 1.5 if texts else 0.0
    if chance(rng, 0.4):
        sizes = [int(size) for size in rng.integers(3, 7, int(rng.integers(3, 6)))]
        r = min(wide / len(sizes) * 0.2, (tall - room) / 14)
        spots = [
            [
                (
                    x0 + r + 1 + layer * (wide - 2 * r - 2) / (len(sizes) - 1),
                    y0 + (tall - room) * (place + 0.5) / size,
                )
                for place in range(size)
            ]
            for layer, size in enumerate(sizes)
        ]
        for before, after in itertools.pairwise(spots):
            for a in before:
                for b in after:
                    sheet.line([a, b], (150, 150, 150), 0.6)
        for layer, column in enumerate(spots):
            for x, y in column:
                sheet.ellipse(x, y, r, r, mix(style.stroke(layer), 0.7), BLACK, 0.8)
            if texts:
                title = "Input" if layer == 0 else "Output" if layer == len(spots) - 1 else f"Hidden {layer}"
                sheet.text(column[0][0], y1 - 2, title, face, BLACK, "mb")
        return sheet.done()
    blocks = pick(
        rng,
        (
            ("Conv", "Conv", "Pool", "Conv", "Pool", "FC"),
            ("Embed", "Attention", "MLP", "Norm", "Head"),
            ("Enc 1", "Enc 2", "Enc 3", "Dec 3", "Dec 2", "Dec 1"),
            ("Input", "CNN", "LSTM", "Dense", "Softmax"),
        ),
    )
    unet = blocks[0] == "Enc 1"
    slot = wide / len(blocks)
    depth = chance(rng, 0.6)
    for place, block in enumerate(blocks):
        share = (abs(place - 2.5) / 2.5 * 0.6 + 0.35) if unet else 0.95 - 0.13 * place
        high = (tall - room * 2) * max(0.2, share)
        x, y = x0 + slot * (place + 0.42), y0 + room * 0.5 + (tall - room * 2) / 2
        half = slot * float(0.16 if depth else 0.3)
        colour = mix(
            style.stroke(
                0 if block.startswith(("Conv", "Enc")) else 1 if block.startswith(("Pool", "Dec")) else 2
            ),
            0.6,
        )
        if depth:
            lean = min(slot * 0.28, high * 0.2)
            sheet.polygon(
                [
                    (x - half, y - high / 2 + lean),
                    (x - half + lean, y - high / 2),
                    (x + half + lean, y - high / 2),
                    (x + half, y - high / 2 + lean),
                ],
                mix(colour, 0.6),
                BLACK,
                0.6,
            )
            sheet.polygon(
                [
                    (x + half, y - high / 2 + lean),
                    (x + half + lean, y - high / 2),
                    (x + half + lean, y + high / 2 - lean),
                    (x + half, y + high / 2),
                ],
                mix(colour, 0.8, BLACK),
                BLACK,
                0.6,
            )
            sheet.rectangle(x - half, y - high / 2 + lean, x + half, y + high / 2, colour, BLACK, 0.6)
        else:
            sheet.rectangle(x - half, y - high / 2, x + half, y + high / 2, colour, BLACK, 0.8, radius=4)
        if place < len(blocks) - 1:
            sheet.arrow((x + half + (slot * 0.3 if depth else 0), y), (x + slot - half, y), BLACK, 1.0, 3.0)
        if texts:
            lines, small = fitted(block, face, slot * 0.98, room)
            sheet.text(x, y1 - 2, lines, small, BLACK, "mb")
            if not unet and high > 40 and chance(rng, 0.6):
                sheet.text(x, y, f"{2 ** (4 + place)}×{2 ** (8 - place)}", face.scaled(0.8), BLACK, "mm", 90)
    if unet and chance(rng, 0.8):
        for place in range(2):
            start, end = x0 + slot * (place + 0.42), x0 + slot * (5 - place + 0.42)
            row = y0 + 3 + place * tall * 0.06
            sheet.line([(start, row + 8), (start, row), (end, row)], (120, 120, 120), 1.0, 3.0)
            sheet.arrow((end, row), (end, row + 9), (120, 120, 120), 1.0, 3.0)
    return sheet.done()


DRAWERS: tuple[Drawer, ...] = (
    Drawer("flow_chart", Kind.DIAGRAM, flow_chart, (0.6, 2.2), paper=True),
    Drawer("pathway", Kind.DIAGRAM, pathway, (0.7, 1.8), paper=True),
    Drawer("timeline", Kind.DIAGRAM, timeline, (1.6, 5.0), paper=True),
    Drawer("network", Kind.DIAGRAM, network, (0.7, 1.6), paper=True),
    Drawer("tree", Kind.DIAGRAM, tree, (0.5, 1.6), paper=True),
    Drawer("domain_structure", Kind.DIAGRAM, domain_structure, (1.0, 5.0), paper=True),
    Drawer("neural_net", Kind.DIAGRAM, neural_net, (1.2, 3.0), paper=True),
    Drawer("schematic", Kind.DIAGRAM, schematic, (0.8, 2.4), paper=True),
    Drawer("sequence_alignment", Kind.DIAGRAM, sequence_alignment, (1.2, 4.0), paper=True),
)
