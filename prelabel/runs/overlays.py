"""Pictures of predictions and their reasons, one per figure, to see where a pre-labeller errs."""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from PIL import Image, ImageDraw, ImageFont

from panelwise.domain import AnnotatorError, Figure, Prediction
from panelwise.runtime import counted, write_whole
from prelabel.runs.predict import Prelabeller, Reads, images_read

#: Width of a picture in pixels, and the most that the figure on it is high; small figures are drawn larger.
WIDTH, HIGHEST, MOST_ENLARGED = 1200, 1000, 3.0

#: Sizes of type, and the space around everything, in pixels.
LARGE, SMALL, MARGIN = 17, 14, 16

#: Colours of panels in turn, distinct on white and black, and with most colour blindness.
COLOURS = (
    (214, 39, 40),
    (31, 119, 180),
    (44, 140, 44),
    (230, 120, 0),
    (140, 80, 190),
    (0, 150, 160),
    (200, 50, 150),
    (130, 90, 60),
    (110, 110, 0),
    (70, 70, 200),
)
INK, PALE, GROUND = (40, 40, 40), (125, 125, 125), (255, 255, 255)

#: A caption longer than this many words is broken off on the picture.
MOST_WORDS = 900

#: A file's name keeps these characters of a figure's id, and at most this many.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
#: Names that Windows reserves for devices, with any extension.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)

SEPARATOR = "  |  "

#: What the font has no shape for, as something that it has.
_DRAWN = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-") | {"\u2032": "'", "\u2033": '"'}
)

_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_Colour = tuple[int, int, int]


class Reasoned(Protocol):
    """A prediction with a short reason for each of its subfigures."""

    @property
    def prediction(self) -> Prediction:
        """The prediction."""
        ...

    @property
    def reasons(self) -> Sequence[str]:
        """One reason per subfigure of the prediction."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A pre-labeller that can explain its predictions."""

    def explain(self, figure: Figure, image: Image.Image) -> Reasoned:
        """Return the prediction for a figure, with its reasons."""
        ...


@dataclass(slots=True)
class WithOverlays:
    """A pre-labeller that wraps `model` and writes a picture of each prediction into `folder`."""

    model: Prelabeller
    folder: Path

    @property
    def version(self) -> str:
        """The model's version."""
        return self.model.version

    @property
    def read(self) -> int:
        """Return the number of images whose letters the model has read."""
        return images_read(self.model)

    @read.setter
    def read(self, count: int) -> None:
        if isinstance(self.model, Reads):
            self.model.read = count

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        """Return the model's prediction. Raises AnnotatorError, one line, if the picture cannot be written."""
        if isinstance(self.model, Explains):
            explained = self.model.explain(figure, image)
            prediction, reasons = explained.prediction, tuple(explained.reasons)
        else:
            prediction, reasons = self.model.predict(figure, image), ()
        path = self.folder / overlay_name(figure.id)
        out = io.BytesIO()
        overlay(prediction, image, reasons).save(out, "PNG", compress_level=3)
        try:
            write_whole(path, out.getvalue())
        except OSError as error:
            raise AnnotatorError(f"{path}: {error.strerror or error}") from None
        return prediction


def overlay_name(figure_id: str) -> str:
    """Return a file name that is safe on every system and unique per id (on case-sensitive systems).

    An id that is long, or has characters other than letters, digits, and inner "-", "_" and ".", is followed by
    some digits of its hash.
    """
    safe = _UNSAFE.sub("_", figure_id).strip("._")[:_LONGEST] or "figure"
    if _DEVICES.match(safe):
        safe = f"figure_{safe}"
    if safe == figure_id:
        return f"{safe}.png"
    return f"{safe}-{hashlib.sha256(figure_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}.png"


def open_folder(folder: Path) -> Path:
    """Create the folder for overlays if needed. Raises AnnotatorError, one line, if it cannot be used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise AnnotatorError(f"{folder}: is a file; name a folder for the pictures") from None
    except OSError as error:
        raise AnnotatorError(f"{folder}: {error.strerror or error}; name a folder to write to") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise AnnotatorError(f"{folder}: cannot be written to; name another folder for the pictures")
    return folder


def overlay(prediction: Prediction, image: Image.Image, reasons: Sequence[str] = ()) -> Image.Image:
    """Draw the figure with its boxes, below it each box's label and reason, and the caption in the panels'
    colours.

    image: the figure's, of any size. reasons: one per subfigure, or none. A word of one panel has its colour; a
    word of several is underlined in the colour of each; all others are grey.
    """
    panels = len(prediction.subfigures)
    colours = [COLOURS[number % len(COLOURS)] for number in range(panels)]
    drawn = _figure(prediction, image, colours)
    lines = list(_legend(prediction, reasons, colours))
    words = list(_words(prediction, colours))
    large, small = ImageFont.load_default(LARGE), ImageFont.load_default(SMALL)
    placed, text_height = _laid_out(words, small, WIDTH - 2 * MARGIN)
    legend_height = (len(lines) + 1) * (SMALL + 6)
    height = MARGIN + LARGE + 8 + drawn.height + MARGIN + legend_height + MARGIN + text_height + MARGIN
    sheet = Image.new("RGB", (WIDTH, height), GROUND)
    draw = ImageDraw.Draw(sheet)
    top = MARGIN
    title = SEPARATOR.join((prediction.figure.id, prediction.model_version, counted(panels, "subfigure")))
    draw.text((MARGIN, top), _shortened(title, large, WIDTH - 2 * MARGIN), INK, large)
    top += LARGE + 8
    sheet.paste(drawn, ((WIDTH - drawn.width) // 2, top))
    top += drawn.height + MARGIN
    for colour, line in lines:
        draw.rectangle((MARGIN, top + 2, MARGIN + SMALL, top + SMALL + 2), colour)
        draw.text((MARGIN + SMALL + 8, top), _shortened(line, small, WIDTH - 3 * MARGIN - SMALL), INK, small)
        top += SMALL + 6
    top += SMALL + 6
    for x, y, wide, word in placed:
        draw.text((MARGIN + x, top + y), word.text, word.colours[0] if len(word.colours) == 1 else word.ink, small)
        if len(word.colours) > 1:
            _stripes(draw, MARGIN + x, top + y + SMALL + 3, wide, word.colours)
    return sheet


@dataclass(frozen=True, slots=True)
class _Word:
    """A token of the caption. colours: of the panels that it describes. after: whether a blank follows it."""

    text: str
    colours: tuple[_Colour, ...]
    after: bool

    @property
    def ink(self) -> _Colour:
        return INK if self.colours else PALE


def _figure(prediction: Prediction, image: Image.Image, colours: Sequence[_Colour]) -> Image.Image:
    """Draw the image with boxes, labels and scores."""
    room = WIDTH - 2 * MARGIN
    scale = min(room / image.width, HIGHEST / image.height, MOST_ENLARGED)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    canvas = image.convert("RGB").resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    draw = ImageDraw.Draw(canvas)
    font = ImageFont.load_default(LARGE)
    across, down = size[0] / prediction.figure.width, size[1] / prediction.figure.height
    chips = []
    for subfigure, score, colour in zip(prediction.subfigures, prediction.scores, colours, strict=True):
        box = subfigure.box
        x0, y0 = round(box.x0 * across), round(box.y0 * down)
        x1, y1 = max(x0, round(box.x1 * across) - 1), max(y0, round(box.y1 * down) - 1)
        # A white line beside the coloured one, so that boxes are seen on any ground.
        draw.rectangle((x0, y0, x1, y1), outline=GROUND, width=4)
        draw.rectangle((x0, y0, x1, y1), outline=colour, width=3)
        chips.append((x1, y0, f"{subfigure.label} {score:.2f}", colour))
    # At the right, as panel letters mostly stand at the left.
    for x1, y0, text, colour in chips:
        text = _shortened(text, font, 240)
        wide = round(font.getlength(text)) + 8
        left, upper = max(0, min(x1 + 1, size[0]) - wide), max(0, min(y0, size[1] - LARGE - 6))
        draw.rectangle((left, upper, left + wide, upper + LARGE + 5), colour)
        draw.text((left + 4, upper + 1), text, GROUND, font)
    return canvas


def _legend(
    prediction: Prediction, reasons: Sequence[str], colours: Sequence[_Colour]
) -> Iterator[tuple[_Colour, str]]:
    """Yield a line for each subfigure: label, score, box, words, and reason."""
    for number, (subfigure, score) in enumerate(zip(prediction.subfigures, prediction.scores, strict=True)):
        box = subfigure.box
        size = f"{box.width:.0f} x {box.height:.0f} at {box.x0:.0f}, {box.y0:.0f}"
        words = f"{len(subfigure.subcaption)} tokens" if subfigure.subcaption else "no text"
        reason = reasons[number] if number < len(reasons) else ""
        parts = (f"{subfigure.label} {score:.2f}", size, words, reason)
        yield colours[number], SEPARATOR.join(part for part in parts if part)


def _words(prediction: Prediction, colours: Sequence[_Colour]) -> Iterator[_Word]:
    caption = prediction.figure.caption
    ranges = caption.ranges[:MOST_WORDS]
    for token, (start, end) in enumerate(ranges):
        owners = [
            colour
            for colour, subfigure in zip(colours, prediction.subfigures, strict=True)
            if token in subfigure.subcaption
        ]
        following = caption.text[end : end + 1]
        yield _Word(caption.text[start:end], tuple(owners), following.isspace() or not following)
    if len(ranges) < len(caption.ranges):
        yield _Word(f"... {len(caption.ranges) - len(ranges)} more", (), after=True)


def _laid_out(words: Sequence[_Word], font: _Font, width: int) -> tuple[list[tuple[int, int, int, _Word]], int]:
    """Return each word's position and width on lines `width` pixels wide, and the height of all lines."""
    line = SMALL + 12
    placed = []
    x, y = 0.0, 0
    blank = font.getlength(" ")
    for word in words:
        word = _Word(_shortened(word.text, font, width), word.colours, word.after)
        wide = font.getlength(word.text)
        if x and x + wide > width:
            x, y = 0.0, y + line
        placed.append((round(x), y, max(1, round(wide)), word))
        x += wide + (blank if word.after else 0.0)
    return placed, y + line if placed else 0


def _stripes(draw: ImageDraw.ImageDraw, x: int, y: int, wide: int, colours: Sequence[_Colour]) -> None:
    """Underline a shared word with a stripe in the colour of each panel that shares it."""
    for number, colour in enumerate(colours):
        start, end = x + wide * number // len(colours), x + wide * (number + 1) // len(colours)
        draw.rectangle((start, y, max(start, end - 1), y + 3), colour)


def _shortened(text: str, font: _Font, width: float) -> str:
    """Return the text on one line, truncated to `width` pixels."""
    text = " ".join(text.translate(_DRAWN).split())[:400]
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}...") > width:
        text = text[: max(0, len(text) - 1 - len(text) // 16)]
    return f"{text}..."
