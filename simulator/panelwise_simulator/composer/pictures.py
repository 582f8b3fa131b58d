"""Real pictures to compose figures of: a folder with `pictures.jsonl`, split by where they come from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image, ImageChops

from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Line, Problems, read_each

INDEX = "pictures.jsonl"

#: Of three sources one is never trained on; the words begin the hash, and fix which.
_SALT, _PARTS = "panelwise", 3

#: Terms under which nothing derived from a picture may be passed on, in its licence or in its caption's credit.
_CLOSED = re.compile(
    r"share.?alike|\bby-sa\b|\bnc\b|non.?commercial|\bnd\b|no.?deriv|permission|courtesy|all rights", re.IGNORECASE
)
_CREDIT = re.compile(r"\bcredits?\b.*", re.IGNORECASE | re.DOTALL)

#: Kinds whose ground is that of the page.
PAPER = frozenset({"plot", "diagram", "table", "chemical", "map", "drawing"})

#: Decoded pictures that a process keeps, and their longest side in pixels.
_CACHED, _LONGEST = 400, 480

#: What differs less than this from white is not seen.
_INK = [0] * 12 + [255] * 244

#: A picture is at least this many pixels wide and high, or no panel.
SMALLEST = 48


class Part(StrEnum):
    """Pictures to train with, those of sources that are never trained on, or all."""

    TRAIN = "train"
    APART = "apart"
    ALL = "all"


class Picture(msgspec.Struct, frozen=True):
    """A picture and its terms. image: its file, absolute once read. single: whether it is one panel; None: unsure.

    source: repository@commit:path or package==version:path. caption: of a textbook, with its credit.
    """

    picture_id: str
    image: str
    kind: str
    source: str
    licence: str
    single: bool | None = None
    caption: str = ""

    @property
    def origin(self) -> str:
        """The repository or package."""
        return re.split(r"@|==", self.source)[0]

    @property
    def part(self) -> Part:
        """Return the part that its source belongs to, by a hash."""
        digest = hashlib.sha256((_SALT + self.origin).encode()).digest()
        return Part.APART if int.from_bytes(digest[:4], "big") % _PARTS == 0 else Part.TRAIN

    @property
    def credit(self) -> str:
        """Return the credit in its caption, "" if there is none."""
        found = _CREDIT.search(self.caption)
        return found.group() if found else ""

    @property
    def open(self) -> bool:
        """Return whether what is derived from it may be passed on."""
        return not _CLOSED.search(f"{self.licence} {self.credit}".replace("_", " "))


def read_pictures(folder: Path, problems: Problems, part: Part = Part.ALL) -> list[Picture]:
    """The single pictures of a folder that belong to a part and may be used.

    Bad records, files that are missing or cannot be decoded and pictures without a licence are problems;
    pictures under closed terms are left out and counted in a note. Raises FormatError if `pictures.jsonl` is
    missing or no picture remains.
    """
    index = folder / INDEX
    every = [each for each in read_index(folder, problems) if each.single]
    usable = [each for each in every if each.open]
    if len(usable) < len(every):
        problems.note(
            f"{index}: left out {len(every) - len(usable)} pictures whose licence or credit is share-alike, "
            "non-commercial, no-derivatives or by permission"
        )
    wanted = [each for each in usable if part in (Part.ALL, each.part) and _decodes(each, problems)]
    if not wanted:
        raise FormatError(f'{index}: has no usable picture ("single": true) in the part "{part}"; add pictures')
    return wanted


def read_index(folder: Path, problems: Problems) -> Iterator[Picture]:
    """Yield each picture of a folder whose record is complete and whose file exists; other records are problems.

    Raises FormatError if `pictures.jsonl` cannot be read at all.
    """
    return read_each(folder / INDEX, lambda line: _picture(line, folder), problems)


def _picture(line: Line, folder: Path) -> Picture:
    try:
        picture = msgspec.convert(dict(line.record), Picture)
    except msgspec.ValidationError as error:
        raise FormatError(f"{line.where}: {error}; give picture_id, image, kind, source and licence") from None
    if not picture.licence.strip() or not picture.source.strip():
        raise FormatError(f'{line.where}: picture "{picture.picture_id}" has no licence or source; add it')
    file = folder / picture.image
    if not file.resolve().is_relative_to(folder.resolve()):
        raise FormatError(f"{line.where}: image {picture.image} lies outside of {folder}; move it into the folder")
    if not file.is_file():
        raise FormatError(f"{line.where}: image {picture.image} does not exist in {folder}; add the file")
    return msgspec.structs.replace(picture, image=str(file))


def _decodes(picture: Picture, problems: Problems) -> bool:
    try:
        load.__wrapped__(picture.image, False)
    except AnnotatorError as error:
        problems.add(error)
        return False
    return True


@lru_cache(maxsize=_CACHED)
def load(file: str, paper: bool) -> Image.Image:
    """The picture, RGB on white, at most `_LONGEST` pixels long, without white margins if `paper`.

    Not to be changed. Raises AnnotatorError if it cannot be decoded.
    """
    try:
        with Image.open(file) as opened:
            opened.draft("RGB", (_LONGEST, _LONGEST))
            image = _on_white(opened)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise AnnotatorError(f"{file}: cannot be decoded ({error}); replace or remove the picture") from None
    if paper:
        ink = ImageChops.invert(image).convert("L").point(_INK).getbbox()
        if ink is not None and min(ink[2] - ink[0], ink[3] - ink[1]) >= SMALLEST:
            image = image.crop(ink)
    longest = max(image.size)
    if longest > _LONGEST:
        size = [max(SMALLEST, round(side * _LONGEST / longest)) for side in image.size]
        image = image.resize((size[0], size[1]), Image.Resampling.BILINEAR, reducing_gap=2.0)
    return image


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        transparent = image.convert("RGBA")
        ground = Image.new("RGBA", transparent.size, "white")
        return Image.alpha_composite(ground, transparent).convert("RGB")
    return image.convert("RGB")


def credits_of(pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    """List picture, source and licence of each of a figure's pictures, each once."""
    return [
        {"picture_id": each.picture_id, "source": each.source, "licence": each.licence}
        for each in dict.fromkeys(pictures)
    ]
