"""Images from files to a detector: decoded and scaled in threads ahead of it, batched by canvas, told in order.

Pillow frees Python while it decodes and scales, so threads do; what they hand on is small.
"""

from __future__ import annotations

import io
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from PIL import Image

from annotator.domain.errors import AnnotatorError, one_line
from annotator.domain.machine import cores
from annotator.formats.campaign_toml import ImageLimits
from annotator.formats.pictures import read_bytes, read_picture
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, Sizing

#: Files that are read ahead, in batches, and images that wait for others of their canvas, likewise.
AHEAD, WAITING = 3, 8

#: Kinds and modes of files that hold nothing to settle: their pixels are the picture.
_PLAIN = {"PNG": ("L", "RGB"), "JPEG": ("L", "RGB")}
_ORIENTATION = 0x0112
#: A JPEG is decoded at a half, a quarter or an eighth where this many times the wanted size remains.
_ENOUGH = 2

Key = TypeVar("Key")


class Staged(Protocol):
    """A detector in two steps; see `prelabel.models.batched_detector`."""

    batch: int
    sizing: Sizing

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        """The first step; runs in threads."""
        ...

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        """The second, for images of one canvas."""
        ...


@dataclass(frozen=True, slots=True)
class Seen(Generic[Key]):
    """What became of one file. key: as given. size: width and height of the image, which boxes are in pixels of.

    problem: "" where all went well; else what to tell the user, and there are no detections.
    """

    key: Key
    size: Shape
    detections: Detections
    problem: str = ""


def detect_files(
    detector: Staged,
    files: Iterable[tuple[Key, Path]],
    *,
    limits: ImageLimits | None = None,
    workers: int | None = None,
    models: int | None = None,
) -> Iterator[Seen[Key]]:
    """The panels of each file, in the order of the files; they are drawn as they are needed.

    A file that is no image is told in its place (`problem`), and so is one on which the model fails; the rest goes
    on. limits: of images; None for the usual ones. workers: threads that decode, default one a core. models:
    threads that predict, default 1; more pay on CPUs, where a small network cannot fill several cores.
    """
    workers, models = workers or cores(), models or 1
    flow: _Flow[Key] = _Flow(detector, models)
    with ThreadPoolExecutor(workers) as readers, ThreadPoolExecutor(models) as predictors:
        coming: deque[tuple[Key, Path, Future[Prepared]]] = deque()
        try:
            for number, (key, path) in enumerate(files):
                flow.keys[number] = key
                coming.append((key, path, readers.submit(read_prepared, path, detector, limits)))
                if len(coming) > AHEAD * detector.batch + workers:
                    flow.take(*coming.popleft(), predictors)
                    yield from flow.done()
            while coming:
                flow.take(*coming.popleft(), predictors)
                yield from flow.done()
            flow.flush(predictors)
            yield from flow.done(wait=True)
        finally:
            # Whoever stops early does not wait for what nobody will see.
            readers.shutdown(wait=False, cancel_futures=True)
            predictors.shutdown(wait=False, cancel_futures=True)


def read_prepared(path: Path, detector: Staged, limits: ImageLimits | None = None) -> Prepared:
    """One file, decoded and scaled for a detector. Raises FormatError, one line, where it is no image.

    A JPEG much larger than wanted is decoded at a fraction of its size, which its format allows; boxes are in
    pixels of the whole image all the same.
    """
    data = read_bytes(path, limits)
    plain = _plain(data, detector.sizing, limits or ImageLimits())
    if plain is not None:
        image, size = plain
        return detector.prepare(image, size=size)
    return detector.prepare(read_picture(data, path, limits).image)


def _plain(data: bytes, sizing: Sizing, limits: ImageLimits) -> tuple[Image.Image, Shape] | None:
    """The picture of a file that needs no settling, and its whole size; None for any other, and for damaged ones.

    `read_picture` decodes one at a time, for the sake of a setting of the whole process that this does not need.
    """
    try:
        with Image.open(io.BytesIO(data), formats=tuple(_PLAIN)) as image:
            width, height = size = image.size
            if width * height > min(limits.max_pixels, _warns()) or max(size) > limits.max_side:
                return None
            if image.mode not in _PLAIN.get(image.format or "", ()) or "transparency" in image.info:
                return None
            if "exif" in image.info and image.getexif().get(_ORIENTATION, 1) != 1:
                return None
            if image.format == "JPEG":
                across, down = sizing.scaled(width, height)
                image.draft(None, (across * _ENOUGH, down * _ENOUGH))
            image.load()
            return image, size
    except Exception:  # Whatever is wrong with it, `read_picture` finds it again and says it properly.
        return None


def _warns() -> int:
    """Pixels from which Pillow warns of a decompression bomb."""
    return Image.MAX_IMAGE_PIXELS or 1 << 62


class _Flow(Generic[Key]):
    """What has been read waits for others of its canvas; what has been predicted waits for its turn."""

    def __init__(self, detector: Staged, models: int) -> None:
        self.detector = detector
        self.models = models
        self.keys: dict[int, Key] = {}
        self._arrived = self._told = 0
        self._waiting: OrderedDict[Shape, list[tuple[int, Prepared]]] = OrderedDict()
        self._under_way: deque[Future[list[tuple[int, Shape, Detections, str]]]] = deque()
        self._ready: dict[int, tuple[Shape, Detections, str]] = {}

    def take(self, key: Key, path: Path, read: Future[Prepared], predictors: ThreadPoolExecutor) -> None:
        """The next file's image, or why there is none. Files come in their order."""
        number = self._arrived
        self._arrived += 1
        try:
            prepared = read.result()
        except AnnotatorError as error:
            self._ready[number] = ((0, 0), Detections.none(), str(error))
            return
        except Exception as error:
            line = f"{path}: cannot be decoded ({type(error).__name__}: {one_line(error)}); save it anew"
            self._ready[number] = ((0, 0), Detections.none(), line)
            return
        group = self._waiting.setdefault(prepared.canvas, [])
        group.append((number, prepared))
        if len(group) >= self.detector.batch:
            self._send(prepared.canvas, predictors)
        elif sum(map(len, self._waiting.values())) > WAITING * self.detector.batch:
            # The oldest canvas, by its first image: nobody waits for ever.
            self._send(next(iter(self._waiting)), predictors)

    def flush(self, predictors: ThreadPoolExecutor) -> None:
        """No more files come."""
        while self._waiting:
            self._send(next(iter(self._waiting)), predictors)

    def done(self, *, wait: bool = False) -> Iterator[Seen[Key]]:
        """What can be told in order by now. wait: for all that is under way."""
        while self._under_way and (wait or self._under_way[0].done() or len(self._under_way) > self.models + 1):
            for number, size, detections, problem in self._under_way.popleft().result():
                self._ready[number] = (size, detections, problem)
        while self._told in self._ready:
            size, detections, problem = self._ready.pop(self._told)
            yield Seen(self.keys.pop(self._told), size, detections, problem)
            self._told += 1

    def _send(self, canvas: Shape, predictors: ThreadPoolExecutor) -> None:
        self._under_way.append(predictors.submit(_predicted, self.detector, self._waiting.pop(canvas)))


def _predicted(detector: Staged, group: list[tuple[int, Prepared]]) -> list[tuple[int, Shape, Detections, str]]:
    """A batch's detections; where the model fails on it, one image at a time, so that only the culprit is lost."""
    items = [prepared for _, prepared in group]
    try:
        found = detector.predict(items)
    except Exception as error:
        if len(group) == 1:
            why = str(error) if isinstance(error, AnnotatorError) else f"{type(error).__name__}: {one_line(error)}"
            return [(group[0][0], items[0].size, Detections.none(), f"the model failed on it ({why})")]
        return [each for one in group for each in _predicted(detector, [one])]
    return [(number, item.size, one, "") for (number, item), one in zip(group, found, strict=True)]
