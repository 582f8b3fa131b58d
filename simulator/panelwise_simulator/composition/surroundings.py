"""Surroundings of the panels that belong to no panel: headings, shared legends, colour bars,
strips of text as a crop out of a page has them, and the marks of printing and scanning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from panelwise_simulator.composition.layouts import Cell
from panelwise_simulator.composition.lettering import Colour, written
from panelwise_simulator.drawers.vector.styles import Style
from panelwise_simulator.kinds import Generator

GREY = (90, 90, 90)

_HEADINGS: tuple[tuple[str, ...], ...] = (
    ("Control", "Treated", "Rescue", "Vehicle", "High dose", "Washout"),
    ("Day 0", "Day 3", "Day 7", "Day 14", "Day 28", "Day 56"),
    ("WT", "KO", "Het", "cKO", "Tg", "Resc."),
    ("Before", "After", "Follow-up", "1 year", "2 years", "5 years"),
    ("Patient 1", "Patient 2", "Patient 3", "Patient 4", "Patient 5", "Patient 6"),
    ("0 h", "6 h", "12 h", "24 h", "48 h", "72 h"),
    ("Input", "Baseline", "U-Net", "Proposed", "Reference", "Error"),
    ("Sham", "Injury", "Injury + drug", "Drug", "Naive", "Repeat"),
    ("Low", "Medium", "High", "Very high", "Extreme", "Limit"),
    ("Site A", "Site B", "Site C", "Site D", "Site E", "Site F"),
)
_NAMES: tuple[tuple[str, ...], ...] = (
    ("Control", "Treated"),
    ("WT", "KO", "Rescue"),
    ("Model 1", "Model 2", "Model 3", "Model 4"),
    ("Female", "Male"),
    ("Observed", "Simulated", "95% CI"),
    ("2015", "2016", "2017", "2018"),
    ("Low dose", "High dose", "Placebo"),
)
_SCALES = ("Intensity (a.u.)", "z score", "log2 FC", "Density", "T (K)", "Probability", "mm", "")
_JOURNALS = ("Int. J. Clin. Invest.", "Annals of Applied Imaging", "J. Exp. Sci.", "Reports in Medicine",
             "Open Biology and Materials", "Acta Technica")  # fmt: skip


def headings(rng: Generator, count: int) -> list[str]:
    """Texts over the columns or beside the rows of a grid; count: up to six, then numbers."""
    names = _HEADINGS[int(rng.integers(len(_HEADINGS)))]
    return list(names[:count]) if count <= len(names) else [str(number + 1) for number in range(count)]


def put_headings(
    canvas: Image.Image, texts: Sequence[str], places: Sequence[tuple[int, int]], *, across: bool, edge: int,
    size: int, ink: Colour, bold: bool,
) -> None:  # fmt: skip
    """Texts in the middle of the ranges `places`, over columns (across) or turned beside rows. edge: the line, in
    pixels, above or left of which they stand."""
    for text, (low, high) in zip(texts, places, strict=True):
        mask = written(text, size, bold=bold)
        if not across:
            mask = mask.transpose(Image.Transpose.ROTATE_90)
        if (mask.width if across else mask.height) > high - low:
            continue
        middle = (low + high) // 2
        if across:
            canvas.paste(ink, (middle - mask.width // 2, edge - mask.height), mask)
        else:
            canvas.paste(ink, (edge - mask.width, middle - mask.height // 2), mask)


def put_legend(rng: Generator, canvas: Image.Image, area: Cell, style: Style, ink: Colour) -> None:
    """A legend shared by all panels, in one line in the middle of `area`."""
    names = _NAMES[int(rng.integers(len(_NAMES)))]
    size = 13
    masks = [written(name, size) for name in names]
    key, gap = int(rng.choice([10, 18])), 18
    wide = sum(mask.width + key + 6 for mask in masks) + gap * (len(masks) - 1)
    if wide > area[2] - area[0]:
        return
    draw = ImageDraw.Draw(canvas)
    x, y = (area[0] + area[2] - wide) // 2, (area[1] + area[3]) // 2
    if rng.random() < 0.3:
        draw.rectangle((x - 8, y - 11, x + wide + 8, y + 11), outline=GREY)
    for number, mask in enumerate(masks):
        colour = style.palette[number % len(style.palette)]
        high = 5 if key == 10 else 1
        draw.rectangle((x, y - high, x + key, y + high), fill=colour)
        canvas.paste(ink, (x + key + 6, y - mask.height // 2), mask)
        x += key + 6 + mask.width + gap


def put_colour_bar(rng: Generator, canvas: Image.Image, area: Cell, ink: Colour) -> None:
    """A colour bar for all panels, upright in `area`, with its ends and its measure."""
    stops = (
        ((68, 1, 84), (33, 144, 140), (253, 231, 37)),
        ((0, 0, 140), (90, 220, 160), (150, 0, 0)),
        ((33, 102, 172), (247, 247, 247), (178, 24, 43)),
        ((0, 0, 0), (190, 60, 20), (255, 255, 210)),
    )[int(rng.integers(4))]
    x0, y0, x1, y1 = area
    high = max(40, int((y1 - y0) * float(rng.uniform(0.5, 0.95))))
    top = (y0 + y1 - high) // 2
    shares = np.linspace(1.0, 0.0, high)[:, None]
    colours = np.stack(
        [np.interp(shares[:, 0], (0, 0.5, 1), [stop[part] for stop in stops]) for part in range(3)], 1
    )
    strip = np.repeat(colours[:, None, :], 14, axis=1).astype(np.uint8)
    canvas.paste(Image.fromarray(strip), (x0 + 4, top))
    ImageDraw.Draw(canvas).rectangle((x0 + 3, top - 1, x0 + 18, top + high), outline=ink)
    low, highest = ((0, 1), (-2, 2), (0, 100), (0, 255))[int(rng.integers(4))]
    for share in (0.0, 0.5, 1.0):
        mask = written(f"{low + (highest - low) * share:g}", 11)
        canvas.paste(ink, (x0 + 22, round(top + high * (1 - share) - mask.height / 2)), mask)
    name = _SCALES[int(rng.integers(len(_SCALES)))]
    if name and x1 - x0 > 58:
        mask = written(name, 12).transpose(Image.Transpose.ROTATE_90)
        if mask.height < y1 - y0:
            canvas.paste(ink, (x1 - mask.width - 2, (y0 + y1 - mask.height) // 2), mask)


def lines_of(text: str, width: int, size: int, most: int) -> list[str]:
    """The first `most` lines of the text when set in `width` pixels; what the font cannot show is left out."""
    result: list[str] = []
    line = ""
    for word in "".join(char for char in text if char.isascii()).split():
        longer = f"{line} {word}" if line else word
        if line and len(longer) * size * 0.5 > width:
            result.append(line)
            if len(result) == most:
                return result
            line = word
        else:
            line = longer
    return [*result, line] if line else result


def with_caption_strip(
    rng: Generator, image: Image.Image, caption: str, number: int, ground: Colour
) -> Image.Image:
    """The image with the first lines of its caption below, as a crop out of a page has them; the last line may be
    cut off. Nothing else moves."""
    size = int(rng.integers(12, 16))
    name = ("Figure {}. ", "Fig. {}. ", "FIGURE {}: ", "Fig. {} ")[int(rng.integers(4))].format(number)
    lines = lines_of(name + caption, image.width - 20, size, int(rng.integers(1, 6)))
    pitch = round(size * 1.3)
    high = 12 + pitch * len(lines) - (int(rng.integers(0, pitch - 4)) if rng.random() < 0.4 else 0)
    result = Image.new("RGB", (image.width, image.height + high), ground)
    result.paste(image)
    ink = _ink_on(ground)
    for place, line in enumerate(lines):
        mask = written(line, size)
        result.paste(ink, (8, image.height + 10 + pitch * place), mask)
    return result


def put_running_head(rng: Generator, canvas: Image.Image, area: Cell, ground: Colour) -> None:
    """The line at the head of a page: journal, number of the page, and often a rule below."""
    journal = _JOURNALS[int(rng.integers(len(_JOURNALS)))]
    year, page = int(rng.integers(2004, 2024)), int(rng.integers(2, 1900))
    ink = _ink_on(ground)
    x0, y0, x1, y1 = area
    left, right = written(f"{journal} {year}", 12, slant=0.18), written(str(page), 12)
    if rng.random() < 0.4:
        left, right = right, left
    canvas.paste(ink, (x0, y0 + 3), left)
    canvas.paste(ink, (x1 - right.width, y0 + 3), right)
    if rng.random() < 0.6:
        ImageDraw.Draw(canvas).line((x0, y1 - 4, x1, y1 - 4), fill=ink)


def _ink_on(ground: Colour) -> Colour:
    return (20, 20, 20) if sum(ground) > 380 else (235, 235, 235)


def aged(rng: Generator, image: Image.Image) -> Image.Image:
    """The image as printed and scanned: a little grain, a paler black, at times a tint or no colours."""
    kind = rng.random()
    if kind < 0.25:
        image = image.convert("L").convert("RGB")
    elif kind < 0.5:
        tint = tuple(int(tone) for tone in rng.integers(238, 256, 3))
        image = ImageChops.multiply(image, Image.new("RGB", image.size, tint))
    low = int(rng.integers(0, 30))
    image = image.point([low + round(tone * (255 - low) / 255) for tone in range(256)] * 3)
    tile = np.clip(rng.normal(128, float(rng.uniform(1.5, 5.0)), (192, 192)), 0, 255).astype(np.uint8)
    rows, columns = -(-image.height // 192), -(-image.width // 192)
    grain = Image.fromarray(np.tile(tile, (rows, columns))[: image.height, : image.width])
    return ImageChops.add(image, Image.merge("RGB", (grain, grain, grain)), 1.0, -128)
