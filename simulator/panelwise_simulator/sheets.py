"""Contact sheets: many figures small on one picture, to be looked at."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from panelwise.domain import AnnotatorError, Box
from panelwise_simulator.simulated import FigureFiles

#: Between figures, in pixels, and the ground they lie on.
GAP, GROUND = 8, (120, 160, 200)

#: Colours of boxes in turn.
BOXES = ((230, 25, 75), (0, 130, 200), (60, 180, 75), (245, 130, 48), (145, 30, 180))


def thumbnail(image: Image.Image, height: int, widest: int, boxes: Sequence[Box] = ()) -> Image.Image:
    """The figure `height` pixels high, or lower where it would be wider than `widest`, with boxes drawn on it."""
    scale = min(height / image.height, widest / image.width)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    small = image.convert("RGB").resize(size, Image.Resampling.BOX, reducing_gap=3.0)
    draw = ImageDraw.Draw(small)
    for number, box in enumerate(boxes):
        x0, y0, x1, y1 = (round(side * scale) for side in box.as_list())
        draw.rectangle((x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)), outline=BOXES[number % len(BOXES)], width=2)
    return small


def contact_sheet(thumbnails: Iterable[Image.Image], *, width: int = 1400) -> Image.Image:
    """Thumbnails side by side in rows, on one picture `width` pixels wide; none wider than that. Needs one."""
    rows: list[list[Image.Image]] = [[]]
    left = 0
    for each in thumbnails:
        if rows[-1] and left + each.width > width:
            rows.append([])
            left = 0
        rows[-1].append(each)
        left += each.width + GAP
    heights = [max((each.height for each in row), default=1) for row in rows]
    sheet = Image.new("RGB", (width, sum(heights) + GAP * (len(rows) - 1)), GROUND)
    top = 0
    for row, height in zip(rows, heights, strict=True):
        left = 0
        for each in row:
            sheet.paste(each, (left, top))
            left += each.width + GAP
        top += height + GAP
    return sheet


class Sheet:
    """A contact sheet of the first figures that go by. boxes: draw the true boxes. Raises AnnotatorError if the
    file's name is not that of a PNG or JPEG."""

    #: Figures on a sheet; their height, and the width of the sheet, in pixels.
    MOST, HEIGHT, WIDEST = 60, 170, 1400

    def __init__(self, path: Path, *, boxes: bool = False) -> None:
        if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
            raise AnnotatorError(
                f"{path}: a contact sheet is a PNG or JPEG; give a name that ends in .png or .jpg"
            )
        self._path = path
        self._boxes = boxes
        self._thumbnails: list[Image.Image] = []

    def seeing(self, figures: Iterable[FigureFiles]) -> Iterator[FigureFiles]:
        """The same figures, looked at as they go by."""
        for files in figures:
            if len(self._thumbnails) < self.MOST:
                boxes = [Box(*panel["box"]) for panel in files.truth["subfigures"]] if self._boxes else ()
                with Image.open(io.BytesIO(files.image)) as image:
                    self._thumbnails.append(thumbnail(image, self.HEIGHT, self.WIDEST, boxes))
            yield files

    def save(self) -> None:
        """Write the sheet of what has gone by. Raises AnnotatorError if the file cannot be written."""
        try:
            contact_sheet(self._thumbnails, width=self.WIDEST).save(self._path, quality=75)
        except OSError as error:
            raise AnnotatorError(f"{self._path}: {error.strerror or error}") from None
