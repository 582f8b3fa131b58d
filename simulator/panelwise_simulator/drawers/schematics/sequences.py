"""Trees, domains and aligned sequences."""

from __future__ import annotations

import itertools

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.schematics.flows import fitted
from panelwise_simulator.drawers.vector.axes import begin, text_scale
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour, mix
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import Face, measure
from panelwise_simulator.drawers.vector.words import GENES, SPECIES
from panelwise_simulator.kinds import Generator


def tree(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A tree of species or strains with support values and a scale bar, clades marked at times."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    texts = min(width, height) >= 95
    face = style.tick_face(text_scale(region) * 0.95)
    leaves = int(np.clip((y1 - y0) / (face.size * float(rng.uniform(1.1, 2.0)) if texts else 6), 4, 34))
    kind = pick(rng, ("species", "strain", "id"))
    name_of = [
        SPECIES[place % len(SPECIES)] + ("" if kind == "species" else f" {int(rng.integers(10, 9999))}")
        for place in range(leaves)
    ]
    if kind == "id":
        name_of = [
            f"{pick(rng, ('KX', 'MN', 'AF', 'NM0'))}{int(rng.integers(10000, 999999))}" for _ in range(leaves)
        ]
    small = Face(min(face.size, (y1 - y0) / leaves * 0.95), face.bold and kind == "id", kind != "id", face.squeeze)
    wide = max(measure(name, small) for name in name_of) + 6 if texts else 2.0
    wide = min(wide, (x1 - x0) * 0.5)
    clades = chance(rng, 0.5) and texts and width > 200
    end = x1 - wide - (measure("Clade A", face) + 10 if clades else 0)
    low = y1 - (face.size * 1.6 if texts else 4)
    ys = [y0 + (place + 0.5) * (low - y0) / leaves for place in range(leaves)]
    aligned = chance(rng, 0.4)
    tips = [end if aligned else end - float(rng.uniform(0, 0.25)) * (end - x0) for _ in range(leaves)]
    nodes = [(tips[place], ys[place]) for place in range(leaves)]
    colours: list[Colour] = [BLACK] * leaves
    if chance(rng, 0.4):
        colours = [style.stroke(place * 3 // leaves) for place in range(leaves)]
    for place in range(leaves):
        if texts:
            sheet.text(tips[place] + 4, ys[place], name_of[place], small, colours[place], "lm")
    supports = chance(rng, 0.6)
    first = len(nodes)
    while len(nodes) > 1:
        at = int(rng.integers(len(nodes) - 1))
        (xa, ya), (xb, yb) = nodes[at], nodes[at + 1]
        left = min(xa, xb)
        step = (left - x0 - 3) * float(rng.uniform(0.1, 0.3)) * (1 + 2 / len(nodes))
        x = max(x0 + 4, left - step) if len(nodes) > 2 else x0 + 4
        line = colours[min(at, len(colours) - 1)] if len(nodes) > first * 0.6 else BLACK
        sheet.line([(xa, ya), (x, ya), (x, yb), (xb, yb)], line, 1.0)
        if supports and texts and small.size > 6 and chance(rng, 0.5):
            sheet.text(x - 2, (ya + yb) / 2 - 1, str(int(rng.integers(51, 101))), small.scaled(0.75), BLACK, "rb")
        nodes[at : at + 2] = [(x, (ya + yb) / 2)]
    sheet.line([(x0, nodes[0][1]), nodes[0]], BLACK, 1.0)
    sheet.rule(x0 + 2, y1 - 3, x0 + 2 + (end - x0) * 0.2, y1 - 3, BLACK, 1.2)
    if texts:
        sheet.text(
            x0 + 2 + (end - x0) * 0.1,
            y1 - 5,
            pick(rng, ("0.1", "0.05", "0.02", "10")),
            face.scaled(0.85),
            BLACK,
            "mb",
        )
    if clades:
        cuts = sorted(set(rng.integers(1, leaves, 2).tolist()) | {0, leaves})
        for place, (a, b) in enumerate(itertools.pairwise(cuts)):
            x = x1 - measure("Clade A", face) - 6
            sheet.rule(x, ys[a], x, ys[b - 1], style.stroke(place), 2.0)
            sheet.text(x + 5, (ys[a] + ys[b - 1]) / 2, f"Clade {'ABCDE'[place]}", face, BLACK, "lm")
    return sheet.done()


def domain_structure(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Domains of proteins, exons of genes or maps of constructs, one bar a row."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    face = style.tick_face(text_scale(region))
    texts = min(width, height) >= 70 and width >= 120
    rows = int(np.clip((y1 - y0) / float(rng.uniform(34, 60)), 1, 8))
    gene = chance(rng, 0.4)
    names_of = (
        ["WT", "ΔN", "ΔC", "Mut 1", "Mut 2", "Δ1–120", "K52R", "Full length"]
        if chance(rng, 0.6)
        else [name.upper() for name in GENES[:8]]
    )
    wide = max(measure(name, face) for name in names_of[:rows]) + 6 if texts else 2.0
    domains = ("SH2", "SH3", "Kinase", "PH", "RING", "WW", "DBD", "LBD", "TM", "NLS", "BRCT", "Zn", "CC", "PDZ")
    chosen = [domains[int(place)] for place in rng.permutation(len(domains))[:4]]
    shares = rng.dirichlet([2.0, 6.0] * 4 + [2.0])
    lengths = shares[1::2]
    cuts = np.cumsum(shares)[0::2][:4]
    total = int(rng.integers(180, 1900))
    pitch = (y1 - y0) / rows
    high = min(20.0, pitch * 0.42)
    left = x0 + wide
    shape = pick(rng, ("round", "flat", "flat"))
    for row in range(rows):
        y = y0 + pitch * (row + 0.5)
        end = 1.0 if row == 0 else float(rng.uniform(0.55, 1.0))
        start = 0.0 if row == 0 or chance(rng, 0.6) else float(rng.uniform(0.05, 0.3))

        def at(share: float) -> float:
            return left + share * (x1 - left - 3)

        if gene:
            sheet.rule(at(start), y, at(end), y, BLACK, 1.2)
            for a in np.sort(rng.uniform(start, end - 0.06, int(rng.integers(4, 11)))).tolist():
                sheet.rectangle(
                    at(a),
                    y - high / 2,
                    at(a + float(rng.uniform(0.01, 0.06))),
                    y + high / 2,
                    style.stroke(0) if row % 2 == 0 else style.stroke(1),
                )
            sheet.line([(at(start), y), (at(start), y - high * 0.9)], BLACK, 1.0)
            sheet.arrow((at(start), y - high * 0.9), (at(start) + 12, y - high * 0.9), BLACK, 1.0, 3.0)
        else:
            bar = high * 0.45 if chance(rng, 0.5) else high * 0.9
            sheet.rectangle(
                at(start),
                y - bar / 2,
                at(end),
                y + bar / 2,
                (225, 225, 225),
                BLACK,
                0.8,
                radius=3 if shape == "round" else 0,
            )
            for place, (a, long, name) in enumerate(zip(cuts.tolist(), lengths.tolist(), chosen, strict=True)):
                if a < start or a + long > end:
                    continue
                sheet.rectangle(
                    at(a),
                    y - high / 2,
                    at(a + long),
                    y + high / 2,
                    mix(style.stroke(place), 0.75),
                    BLACK,
                    0.8,
                    radius=high / 2 if shape == "round" else 0,
                )
                if texts and high > 9:
                    lines, small = fitted(name, face, at(a + long) - at(a) - 1, high)
                    sheet.text((at(a) + at(a + long)) / 2, y, lines, small)
            if texts and row == 0:
                sheet.text(at(0), y + high / 2 + 3, "1", face.scaled(0.85), BLACK, "lt")
                sheet.text(at(end), y + high / 2 + 3, str(total), face.scaled(0.85), BLACK, "rt")
            if row and chance(rng, 0.4):
                spot = at(float(rng.uniform(start, end)))
                sheet.text(spot, y - high / 2 - 1, "*", face.scaled(1.3), (200, 20, 20), "mb")
        if texts:
            sheet.text(x0, y, names_of[row], face, BLACK, "lm")
    return sheet.done()


_RESIDUES = "ACDEFGHIKLMNPQRSTVWY"


_FAMILIES: dict[str, Colour] = {
    **dict.fromkeys("AVILMFWC", (128, 160, 240)), **dict.fromkeys("KR", (240, 60, 40)), **dict.fromkeys("DE",
    (192, 72, 192)),
    **dict.fromkeys("STNQ", (60, 190, 60)), **dict.fromkeys("G", (240, 144, 72)), **dict.fromkeys("P", (200, 190,
    0)), **dict.fromkeys("HY", (60, 180, 180)),
}  # fmt: skip


def _shades(
    style: Style, shading: str, letters: str, kept: list[bool], same: list[bool], bases: bool
) -> list[Colour | None]:
    """The ground of each residue of a row, None if it is that of the paper."""
    if shading == "none":
        return [None] * len(letters)
    shades: list[Colour | None] = []
    for letter, all_agree, agrees in zip(letters, kept, same, strict=True):
        if shading == "clustal":
            tone = mix(style.stroke("ACGT".find(letter)), 0.6) if bases else _FAMILIES.get(letter, (200, 200, 200))
            shades.append(tone if agrees and letter != "−" else None)
        elif all_agree:
            shades.append(BLACK)
        else:
            shades.append((190, 190, 190) if agrees and shading == "boxshade" else None)
    return shades


def sequence_alignment(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Sequences under each other, residues shaded where they agree, in one block or several."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    size = max(6.5, min(11.0, (y1 - y0) / 7))
    face = Face(size, style.bold_ticks, squeeze=0.95)
    bases = chance(rng, 0.3)
    alphabet = "ACGT" if bases else _RESIDUES
    rows = int(np.clip((y1 - y0) / (size * 1.25), 2, 9)) if (y1 - y0) < 130 else int(rng.integers(3, 8))
    names_of = [
        pick(rng, ("Human", "Mouse", "Rat", "Chicken", "Xenopus", "Zebrafish", "Fly", "Worm", "Yeast", "E. coli"))
        if chance(rng, 0.9)
        else f"seq{row}"
        for row in range(rows)
    ]
    texts = width >= 110
    left = x0 + (max(measure(name, face) for name in names_of) + 6 if texts else 0)
    numbers = texts and width > 220 and chance(rng, 0.6)
    right = x1 - (measure("1000", face) + 4 if numbers else 0)
    pitch = size * 0.82
    columns = max(3, int((right - left) / pitch))
    pitch = (right - left) / columns
    marks = chance(rng, 0.7)
    block_high = (rows + (1 if marks else 0) + 0.7) * size * 1.18
    blocks = max(1, int((y1 - y0 + size * 0.6) / block_high))
    shading = pick(rng, ("clustal", "black", "boxshade", "none"))
    at = int(rng.integers(1, 400))
    line = (
        size * 1.18
        if blocks > 1 or (y1 - y0) / (rows + 1) > size * 2
        else (y1 - y0) / (rows + (1 if marks else 0))
    )
    gap = (y1 - y0 - blocks * (rows + (1 if marks else 0)) * line) / max(1, blocks - 1) if blocks > 1 else 0.0
    black: list[tuple[float, str]] = []
    white: list[tuple[float, str]] = []
    for block in range(blocks):
        top = y0 + block * ((rows + (1 if marks else 0)) * line + min(gap, line * 2))
        wave = np.sin(np.arange(columns) * 0.35 + float(rng.uniform(0, 6)))
        kept = rng.random(columns) < np.clip(wave * 0.4 + 0.6, 0.1, 0.97)
        ancestor = rng.integers(0, len(alphabet), columns)
        for row in range(rows):
            y = top + (row + 0.5) * line
            same = kept | (rng.random(columns) < 0.35)
            chosen = np.where(same, ancestor, rng.integers(0, len(alphabet), columns)).tolist()
            holes = (~same & (rng.random(columns) < 0.1)).tolist()
            letters = "".join("−" if hole else alphabet[one] for one, hole in zip(chosen, holes, strict=True))
            tones = _shades(style, shading, letters, kept.tolist(), same.tolist(), bases)
            start = 0
            for column in range(1, columns + 1):
                if column == columns or tones[column] != tones[start]:
                    tone = tones[start]
                    if tone is not None:
                        a, b = left + start * pitch, left + column * pitch
                        sheet.rectangle(a, y - line / 2, b, y + line / 2, tone)
                    start = column
            dark = [tone == BLACK for tone in tones]
            for page, want in ((black, False), (white, True)):
                text = "".join(one if is_dark == want else " " for one, is_dark in zip(letters, dark, strict=True))
                page.append((y, text))
            if texts:
                sheet.text(x0, y, names_of[row], face, BLACK, "lm")
            if numbers:
                sheet.text(x1, y, str(at + columns), face, BLACK, "rm")
        if marks:
            signs = "".join(" " if not one else "*" if rng.random() < 0.7 else ":" for one in kept.tolist())
            black.append((top + (rows + 0.55) * line, signs))
        at += columns
    sheet.letters(black, left, pitch, face, BLACK)
    if shading in ("black", "boxshade"):
        sheet.letters(white, left, pitch, face, WHITE)
    return sheet.done()
