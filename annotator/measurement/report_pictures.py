"""Images for the worst figures of a report: from homes, from a folder, or as figures.jsonl names them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.campaign.home import Home
from panelwise.domain import AnnotatorError, Figure, FormatError
from panelwise.files import Problems, find_file, image_path
from panelwise.formats import read_figures
from panelwise.images import is_url
from panelwise.settings import FILE_NAME, UNLIMITED

if TYPE_CHECKING:
    from PIL.Image import Image

#: Name of the list of figures that is looked for in a folder of images.
FIGURES = "figures.jsonl"
#: Endings of files that a folder is searched for.
ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".gif", ".bmp")
#: Longest side of a picture in a report, in pixels: twice what a phone shows, more than a column of a page.
SIDE = 720
#: Bytes of all pictures of a report together, before they are written as text, and of one at most.
BYTES, BYTES_EACH = 1_000_000, 80_000
#: Qualities and shares of the longest side that are tried until a picture is small enough.
_TRIES = ((80, 1.0), (65, 1.0), (50, 0.8), (40, 0.6), (30, 0.4), (25, 0.25))
#: An image's shape may differ from its figure's by this much: sizes are whole pixels, images may be scaled.
_SHAPE = 0.02

Warn = Callable[[str], None]


class ReportPictures:
    """A figure's picture as JPEG, by its id: None if there is none, or none that fits the figure.

    homes: campaigns whose figures name their own images. images: a folder whose files are named by figure id or
    listed in its figures.jsonl, a figures.jsonl, or a campaign's home; None for none. number: of pictures that
    will be asked for, which share BYTES. warn: gets a line on each image that cannot be shown. Raises FormatError
    where `images` is not there.
    """

    def __init__(
        self, homes: Iterable[Home] = (), *, images: Path | None = None, number: int = 1, warn: Warn | None = None
    ) -> None:
        self._homes = tuple(homes)
        self._most = min(BYTES_EACH, BYTES // max(1, number))
        self._warn = warn or (lambda _line: None)
        self._files = {} if images is None else _files_at(images, self._warn)
        self._given = images
        self.missing: list[str] = []

    def __call__(self, figure: Figure) -> bytes | None:
        """The picture of a figure, upright, scaled down."""
        try:
            file = self._file(figure)
            if file is None:
                self.missing.append(figure.id)
                return None
            return _small_jpeg(file, figure, self._most)
        except AnnotatorError as error:
            self._warn(f"{error}; the report shows the boxes without it")
            return None

    def summary(self) -> str:
        """List the requested figures whose image is missing; "" if none is."""
        if not self.missing or (self._given is None and not self._homes):
            return ""
        where = self._given if self._given is not None else self._homes[0].path
        more = f" and {len(self.missing) - 1} more" if len(self.missing) > 1 else ""
        return f"{where}: has no image of {self.missing[0]}{more}; the report shows the boxes without it"

    def _file(self, figure: Figure) -> Path | None:
        for home in self._homes:
            # What a file says of its images is not within the home.
            with suppress(AnnotatorError):
                path = home.image_path(figure)
                if path.is_file():
                    return path
        if isinstance(self._files, dict):
            return self._files.get(figure.id) or self._files.get(_safe(figure.id))
        return find_file(self._files, figure.id) or find_file(self._files, _safe(figure.id))


def homes_among(sources: Iterable[Path]) -> list[Home]:
    """The campaigns among the sources."""
    return [Home.find(source) for source in sources if (source / FILE_NAME).is_file()]


def _files_at(images: Path, warn: Warn) -> dict[str, Path] | Path:
    """Return figure id -> image; or the folder whose files are named by figure id."""
    if images.is_file():
        return _listed(images, warn)
    if not images.is_dir():
        raise FormatError(f"{images}: no such folder; name one of images, a figures.jsonl or a campaign's home")
    if (images / FILE_NAME).is_file():
        return _stored(Home.find(images))
    if (images / FIGURES).is_file():
        return _listed(images / FIGURES, warn)
    return images


def _listed(figures: Path, warn: Warn) -> dict[str, Path]:
    """As a list of figures has it; images that are named by an address are not fetched."""
    problems = Problems()
    images = {
        record.figure_id: image_path(figures.parent, record.image)
        for record in read_figures(figures, problems, images=False)
        if record.image and not is_url(record.image)
    }
    # Not the notes, which are about captions: only the images are used.
    for line in problems.lines:
        warn(line)
    return images


def _stored(home: Home) -> dict[str, Path]:
    with home.open_store() as store, store.read() as tx:
        return {figure.id: home.image_path(figure) for figure in tx.figures.all() if figure.image}


def _safe(figure_id: str) -> str:
    """Make a file name of a figure's id, as campaigns name stored images."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", figure_id).strip("._")


def _small_jpeg(file: Path, figure: Figure, most: int) -> bytes:
    """A JPEG of at most `most` bytes, or as small as it gets. FormatError if it is no image of this shape."""
    from panelwise.images import read_bytes, read_picture

    image = read_picture(read_bytes(file, UNLIMITED), file, UNLIMITED).image
    width, height = image.size
    if abs(width * figure.height - height * figure.width) > _SHAPE * width * figure.height:
        raise FormatError(
            f'{file}: is {width} x {height} pixels, figure "{figure.id}" {figure.width} x {figure.height}'
        )
    colours = image.convert("L" if image.mode in ("1", "L") else "RGB")
    colours.thumbnail((SIDE, SIDE), reducing_gap=2.0)
    data = b""
    for quality, share in _TRIES:
        data = _encoded(colours, quality, share)
        if len(data) <= most:
            break
    return data


def _encoded(image: Image, quality: int, share: float) -> bytes:
    if share < 1.0:
        image = image.resize((max(1, round(image.width * share)), max(1, round(image.height * share))))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()
