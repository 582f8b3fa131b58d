"""Panel letters: what is printed, in which form, and where in the panel's cell it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont, ImageStat

from panelwise_simulator.composition.layouts import Cell, Place
from panelwise_simulator.kinds import Generator

Colour = tuple[int, int, int]

BLACK, WHITE = (0, 0, 0), (255, 255, 255)

#: Texts are drawn this many times larger and scaled down, so that strokes of part of a pixel come out.
FINE = 4


class Position(StrEnum):
    """The position of a letter relative to the picture of its panel."""

    INSIDE = "inside"
    ABOVE = "above"
    BELOW = "below"
    LETTER_OUTSIDE = "beside"
    NONE = "none"


class Scheme(StrEnum):
    """The numbering of panels."""

    LOWER = "a, b"
    UPPER = "A, B"
    ROMAN = "i, ii"
    DIGITS = "1, 2"
    NUMBERED = "A1, A2"
    NUMBERED_LOWER = "a1, a2"
    ROMAN_PARTS = "Ai, Aii"


@dataclass(frozen=True, slots=True)
class Lettering:
    """The style of the letters of one figure.

    form: what surrounds the label: "{}", "({})", "{})", "{}." or "{}:". align: -1 left, 0 middle, 1 right; up: at
    the top of the picture, for letters inside and beside. plate: colour behind a letter inside, if any. colour:
    None for black or white, whichever stands out.
    """

    position: Position
    form: str = "{}"
    bold: bool = True
    size: int = 20
    align: int = -1
    up: bool = True
    plate: Colour | None = None
    colour: Colour | None = None
    squeeze: float = 1.0
    slant: float = 0.0

    def mask(self, label: str) -> Image.Image:
        """The letter as printed, a grey mask cut tight."""
        return written(self.form.format(label), self.size, bold=self.bold, squeeze=self.squeeze, slant=self.slant)

    def room(self, label: str) -> tuple[int, int]:
        """Pixels set apart beside and above (or below) the picture."""
        mask = self.mask(label)
        if self.position is Position.LETTER_OUTSIDE:
            return mask.width + max(3, self.size // 4), 0
        if self.position in (Position.ABOVE, Position.BELOW):
            return 0, self.size + max(3, self.size // 4)
        return 0, 0


@lru_cache(maxsize=512)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


@lru_cache(maxsize=2048)
def written(text: str, size: int, *, bold: bool = False, squeeze: float = 1.0, slant: float = 0.0) -> Image.Image:
    """The text as a grey mask cut tight (255 on ink), in the font that ships with Pillow; not to be changed.

    size: in pixels. squeeze: its width as a share of the natural one. slant: 0.2 for italics. A text without ink
    gives a mask of one empty pixel.
    """
    face = _font(size * FINE)
    stroke = max(1, round(size * FINE * 0.032)) if bold else 0
    x0, y0, x1, y1 = face.getbbox(text, stroke_width=stroke)
    lean = int(abs(slant) * (y1 - y0)) + FINE
    large = Image.new("L", (int(x1 - x0) + 2 * FINE + 2 * lean, int(y1 - y0) + 2 * FINE))
    ImageDraw.Draw(large).text((FINE + lean - x0, FINE - y0), text, fill=255, font=face, stroke_width=stroke)
    if slant:
        across = (1.0, slant, -slant * large.height / 2, 0.0, 1.0, 0.0)
        large = large.transform(large.size, Image.Transform.AFFINE, across, Image.Resampling.BILINEAR)
    small = large.resize(
        (max(1, round(large.width * squeeze / FINE)), max(1, round(large.height / FINE))), Image.Resampling.BOX
    )
    ink = small.point(_SEEN).getbbox()
    return small.crop(ink) if ink else Image.new("L", (1, 1))


#: What is paler than this against the ground counts as ground.
_SEEN = [0] * 24 + [255] * 232


def numerals(count: int) -> list[str]:
    """Small Roman numerals from i; count: up to 39."""
    tens = ("", "x", "xx", "xxx")
    ones = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
    return [tens[number // 10] + ones[number % 10] for number in range(1, count + 1)]


def labels_of(scheme: Scheme, places: Sequence[Place]) -> list[str]:
    """The labels as printed, each once; after Z come AA and AB. Those of two parts count rows by letters and the
    panels in a row."""
    alphabet = [chr(ord("A") + number) for number in range(26)]
    letters = [*alphabet, *(first + second for first in alphabet for second in alphabet)]
    match scheme:
        case Scheme.LOWER:
            return [letter.lower() for letter in letters[: len(places)]]
        case Scheme.UPPER:
            return letters[: len(places)]
        case Scheme.ROMAN:
            return numerals(len(places))
        case Scheme.DIGITS:
            return [str(number + 1) for number in range(len(places))]
        case Scheme.NUMBERED:
            return [f"{letters[place.row]}{place.column + 1}" for place in places]
        case Scheme.NUMBERED_LOWER:
            return [f"{letters[place.row].lower()}{place.column + 1}" for place in places]
        case Scheme.ROMAN_PARTS:
            return [f"{letters[place.row]}{numerals(place.columns)[place.column]}" for place in places]


def picture_area(cell: Cell, lettering: Lettering, room: tuple[int, int]) -> Cell:
    """The part of the cell left to the picture. room: as from `Lettering.room`."""
    x0, y0, x1, y1 = cell
    match lettering.position:
        case Position.ABOVE:
            return x0, y0 + room[1], x1, y1
        case Position.BELOW:
            return x0, y0, x1, y1 - room[1]
        case Position.LETTER_OUTSIDE:
            return x0 + room[0], y0, x1, y1
        case _:
            return cell


def put_letter(canvas: Image.Image, label: str, lettering: Lettering, cell: Cell, picture: Cell) -> Cell:
    """Draw the letter and return the pixels that it takes, plate included. picture: what the panel shows.

    Raises ValueError for the position NONE.
    """
    mask = lettering.mask(label)
    x0, y0, x1, y1 = picture
    wide, high = mask.size
    gap = max(3, lettering.size // 4)
    match lettering.position:
        case Position.INSIDE:
            inset = gap if lettering.plate is None else max(2, gap // 2)
            left = _aligned(lettering.align, x0 + inset, x1 - inset, wide)
            top = y0 + inset if lettering.up else y1 - inset - high
        case Position.ABOVE:
            left = _aligned(lettering.align, x0, x1, wide)
            top = max(cell[1], y0 - gap - high)
        case Position.BELOW:
            left, top = _aligned(lettering.align, x0, x1, wide), min(cell[3] - high, y1 + gap)
        case Position.LETTER_OUTSIDE:
            left = max(cell[0], x0 - max(3, lettering.size // 4) - wide)
            top = y0 if lettering.up else (y0 + y1 - high) // 2
        case Position.NONE:
            raise ValueError("a panel without a letter has none to draw")
    taken = (left, top, left + wide, top + high)
    colour = lettering.colour
    if lettering.plate is not None and lettering.position is Position.INSIDE:
        pad = max(2, lettering.size // 5)
        taken = (max(x0, left - pad), max(y0, top - pad), min(x1, left + wide + pad), min(y1, top + high + pad))
        canvas.paste(lettering.plate, taken)
        colour = BLACK if sum(lettering.plate) > 380 else WHITE
    elif colour is None:
        grey = ImageStat.Stat(canvas.crop(taken).convert("L")).mean[0]
        colour = BLACK if grey > 128 else WHITE
    canvas.paste(colour, (left, top), mask)
    return taken


def _aligned(align: int, low: int, high: int, size: int) -> int:
    return (low, (low + high - size) // 2, high - size)[align + 1]


# ---- choosing -------------------------------------------------------------------------------------


def _pick(rng: Generator, choices: Sequence[tuple[float, Colour | None]]) -> Colour | None:
    weights = [weight for weight, _ in choices]
    return choices[int(rng.choice(len(choices), p=[weight / sum(weights) for weight in weights]))][1]


def a_scheme(rng: Generator, difficulty: str) -> Scheme:
    """Draw a numbering of panels; "A" and "a" are equally frequent, all others rare except in "hard"."""
    odd = {"easy": 0.0, "medium": 0.06, "hard": 0.3}[difficulty]
    if rng.random() >= odd:
        return Scheme.UPPER if rng.random() < 0.5 else Scheme.LOWER
    rest = (Scheme.ROMAN, Scheme.DIGITS, Scheme.NUMBERED, Scheme.NUMBERED_LOWER, Scheme.ROMAN_PARTS)
    return rest[int(rng.choice(5, p=(0.14, 0.16, 0.3, 0.2, 0.2)))]


def a_lettering(rng: Generator, difficulty: str, *, paper: bool, stitched: bool) -> Lettering:
    """Letters as the journal of the figure would print them.

    paper: most panels are plots or diagrams. stitched: panels touch, so that there is no room between them.
    """
    size = int(rng.integers(15, 25))
    bold = bool(rng.random() < (0.85 if paper else 0.55))
    squeeze = float(rng.choice([1.0, 1.0, 1.06, 0.92]))
    draw = rng.random()
    none = {"easy": 0.0, "medium": 0.05, "hard": 0.25}[difficulty]
    odd = {"easy": 0.0, "medium": 0.04, "hard": 0.3}[difficulty]
    form = str(rng.choice(["{}", "({})", "{})", "{}.", "{}:"], p=[0.78, 0.13, 0.05, 0.03, 0.01]))
    if draw < none:
        return Lettering(Position.NONE)
    if stitched:
        return _inside(rng, size, bold, form, odd=bool(rng.random() < odd), squeeze=squeeze)
    if draw < none + odd:
        position = Position(str(rng.choice(["above", "below", "beside", "inside"])))
        align = int(rng.choice([-1, 0, 1]))
        slant = float(rng.choice([0.0, 0.2]))
        return Lettering(position, form, bold, size, align, bool(rng.random() < 0.4), squeeze=squeeze, slant=slant)
    kinds = ("above", "beside", "below", "inside")
    shares = (0.62, 0.26, 0.12, 0.0) if paper else (0.17, 0.05, 0.42, 0.36)
    match kinds[int(rng.choice(4, p=shares))]:
        case "above":
            align = -1 if rng.random() < 0.9 else 0
            return Lettering(Position.ABOVE, form, bold, size, align, squeeze=squeeze)
        case "beside":
            return Lettering(Position.LETTER_OUTSIDE, form, bold, size, squeeze=squeeze)
        case "below":
            # Some publishers set "(a)" in the size of the text under every panel.
            plain = "({})" if rng.random() < 0.85 else form
            return Lettering(Position.BELOW, plain, bool(rng.random() < 0.2), int(rng.integers(13, 20)), 0)
        case _:
            return _inside(rng, size, bold, form, odd=False, squeeze=squeeze)


def _inside(rng: Generator, size: int, bold: bool, form: str, *, odd: bool, squeeze: float) -> Lettering:
    up = bool(rng.random() < (0.5 if odd else 0.85))
    align = int(rng.choice([-1, 1])) if odd or rng.random() < 0.08 else -1
    plate = _pick(rng, ((0.68, None), (0.2, WHITE), (0.1, BLACK), (0.02, (70, 70, 70))))
    colour = _pick(rng, ((0.93, None), (0.05, (255, 235, 40)), (0.02, (230, 30, 30))))
    return Lettering(Position.INSIDE, form, bold, size, align, up, plate, colour, squeeze)
