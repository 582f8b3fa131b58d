"""Images as a network takes them: scaled, laid on a canvas that depends on the image alone, batched by its shape.

Batches of one shape need no padding to their largest image. And because the canvas of an image hangs on nothing
but the image, its prediction is the same in any batch: an interrupted run and one that was not, one machine and
ten shards agree.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from panelwise.domain import FormatError
from panelwise.files import check_png, image_kind, too_many_scans
from panelwise.images import read_bytes, read_picture
from panelwise.settings import ImageLimits
from prelabel.models.protocols import Detections

if TYPE_CHECKING:
    import torch

#: Mean and deviation of ImageNet's colours, in [0, 1]: what every backbone here expects.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

#: Pixels along a side beyond which no network takes an image: a canvas of it would fill the memory.
LARGEST_SIDE = 8192
#: What Pillow may shrink coarsely before it interpolates; 2 looks the same and takes a third of the time.
_GAP = 2.0

Pixels = npt.NDArray[np.uint8]
Shape = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sizing:
    """The scaling of images: the shorter side to `shorter` pixels, the longer one to at most `longer`.

    step: the canvas has a multiple of this many pixels each way. exact: (width, height) that every image is
    squeezed to instead, as some networks want it; the canvas is that then. snapped: scaled sides are multiples of
    `step`, so that the image fills its canvas; its shape changes by at most half a step.
    """

    shorter: int
    longer: int
    step: int = 32
    exact: Shape | None = None
    snapped: bool = False

    def __post_init__(self) -> None:
        sides = (self.shorter, self.longer, self.step, *(self.exact or ()))
        if not all(1 <= side <= LARGEST_SIDE for side in sides):
            raise FormatError(
                f"images of {', '.join(map(str, sides))} pixels are wanted (shorter, longer, step, exact), beyond "
                f"1 to {LARGEST_SIDE:,}; correct them in the model's configuration, or get a whole copy"
            )

    def scaled(self, width: int, height: int) -> Shape:
        """Width and height of the scaled image, at least 1 each."""
        if self.exact is not None:
            return self.exact
        scale = min(self.shorter / min(width, height), self.longer / max(width, height))
        unit = self.step if self.snapped else 1
        return max(unit, round(width * scale / unit) * unit), max(unit, round(height * scale / unit) * unit)

    def canvas(self, width: int, height: int) -> Shape:
        """Width and height of the canvas for a scaled image of this size."""
        if self.exact is not None:
            return self.exact
        return -(-width // self.step) * self.step, -(-height // self.step) * self.step


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """An image scaled for a network. pixels: (h, w, 3) uint8, RGB. size: width, height of the image it comes from.

    canvas: width, height of what it is laid on, at its top left; images of one canvas make a batch. count: panels
    that the caption names, 0 if unknown.
    """

    pixels: Pixels
    size: Shape
    canvas: Shape
    count: int = 0

    @property
    def scaled(self) -> Shape:
        """Its width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]


def prepare(image: Image.Image, sizing: Sizing, *, size: Shape | None = None) -> Prepared:
    """Scale one image, any mode but with no transparency. Runs in worker threads: Pillow frees Python meanwhile.

    size: of the whole image where `image` has been decoded at a fraction of it.
    """
    size = size or image.size
    scaled = sizing.scaled(*size)
    image = image if image.mode == "RGB" else image.convert("RGB")
    if image.size != scaled:
        image = image.resize(scaled, Image.Resampling.BILINEAR, reducing_gap=_GAP)
    return Prepared(np.asarray(image), size, sizing.canvas(*scaled))


def batch_tensor(
    items: Sequence[Prepared],
    device: torch.device,
    *,
    mean: Sequence[float] = MEAN,
    deviation: Sequence[float] = DEVIATION,
) -> torch.Tensor:
    """(N, 3, h, w) float32 on the device, normalised, channels last; 0 beyond each image. One canvas for all.

    The bytes travel as they are and become numbers on the device: a quarter of the way.
    """
    import torch

    width, height = items[0].canvas
    # Pinned memory is reused for the next batch, and copying from it does not block Python.
    there = torch.empty(len(items), height, width, 3, dtype=torch.uint8, pin_memory=device.type == "cuda")
    for place, item in zip(there.numpy(), items, strict=True):
        across, down = item.scaled
        place[:down, :across] = item.pixels
    batch = there.to(device, non_blocking=True).permute(0, 3, 1, 2).float()
    shift = torch.tensor(mean, device=device).view(1, 3, 1, 1) * 255
    scale = torch.tensor(deviation, device=device).view(1, 3, 1, 1) * 255
    batch = ((batch - shift) / scale).contiguous(memory_format=torch.channels_last)
    for row, item in zip(batch, items, strict=True):
        across, down = item.scaled
        row[:, down:, :] = 0
        row[:, :, across:] = 0
    return batch


def to_image(boxes: torch.Tensor, item: Prepared) -> torch.Tensor:
    """(N, 4) corners in the scaled image, in pixels of the image that it comes from, cut off at its edges."""
    width, height = item.size
    across, down = item.scaled
    scale = boxes.new_tensor([width / across, height / down] * 2)
    ends = boxes.new_tensor([width, height] * 2)
    return (boxes * scale).clamp(min=0).minimum(ends)


# From a file to what a detector takes: decoded, no larger than it must be, and scaled.
# Pillow frees Python while it decodes and scales, so threads may do it ahead; their results are small.

#: Formats and modes whose pixels need no conversion before they are scaled.
_PLAIN = {"PNG": ("L", "RGB"), "JPEG": ("L", "RGB")}
_ORIENTATION = 0x0112
#: A JPEG is decoded at a half, a quarter or an eighth where this many times the wanted size remains.
_ENOUGH = 2


class Staged(Protocol):
    """A detector in two steps; see `prelabel.detectors.batched`."""

    batch: int
    sizing: Sizing

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        """The first step; runs in threads."""
        ...

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        """The second, for images of one canvas."""
        ...


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
    if too_many_scans(data):
        return None
    try:
        if image_kind(data) == "PNG" and check_png(data, ""):
            return None
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
    except Exception:  # Pillow raises any error on damaged files; `read_picture` reports it.
        return None


def _warns() -> int:
    """Pixels from which Pillow warns of a decompression bomb."""
    return Image.MAX_IMAGE_PIXELS or 1 << 62
