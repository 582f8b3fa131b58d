"""Correct how Pillow decodes a TIFF, or describe values that it would read wrongly, so that they are refused."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from PIL import Image, ImageFile, ImagePalette, TiffImagePlugin

BITS_PER_SAMPLE, COMPRESSION, PHOTOMETRIC = 258, 259, 262
_WIDTH, _STRIPS, _TILES = 256, 273, 324
_PLANAR, _COLORMAP, _EXTRA_SAMPLES, _SAMPLE_FORMAT = 284, 320, 338, 339
_APART, _SIGNED, _RGB, _ASSOCIATED_ALPHA, _ALPHA = 2, 2, 2, 1, 2
_COLOURS = {
    0: "grey (white is zero)",
    1: "grey",
    2: "RGB",
    3: "palette",
    5: "CMYK",
    6: "YCbCr",
    8: "CIE Lab",
    9: "ICC Lab",
    10: "ITU Lab",
    32803: "raw camera values",
    32844: "LogL",
    32845: "LogLuv",
}
_FORMATS = {1: "unsigned", 2: "signed", 3: "floating-point", 4: "untyped", 5: "complex", 6: "complex"}

Tags = Mapping[int, Any]


@contextmanager
def one_decoder() -> Iterator[None]:
    """Have libtiff decode every TIFF meanwhile, a setting of the whole process.

    Pillow's own reader of uncompressed values mixes up planes of 16 bits and chroma of fewer samples.
    """
    before = TiffImagePlugin.READ_LIBTIFF
    TiffImagePlugin.READ_LIBTIFF = True
    try:
        yield
    finally:
        TiffImagePlugin.READ_LIBTIFF = before


def kind_of_tiff(data: bytes) -> str:
    """Describe the values of a TIFF, such as "grey, 64-bit floating-point"; "" if its tags can't be read."""
    try:
        tags = TiffImagePlugin.ImageFileDirectory_v2(data[: 16 if data[2:4] in (b"+\0", b"\0+") else 8])
        file = io.BytesIO(data)
        file.seek(tags.next)
        tags.load(file)
        return _described(tags) if _WIDTH in tags and (_STRIPS in tags or _TILES in tags) else ""
    except Exception:  # Pillow raises errors of any kind on damaged tags.
        return ""


def misread(image: Image.Image) -> str:
    """Describe an opened TIFF that Pillow would decode to other values; "" if it does not."""
    tags: Tags = getattr(image, "tag_v2", {})
    extra = tags.get(_EXTRA_SAMPLES, ())
    samples, photometric = len(tags.get(BITS_PER_SAMPLE, (1,))), tags.get(PHOTOMETRIC)
    unnamed = photometric == _RGB and samples > 3 and not extra
    apart = tags.get(_PLANAR, 1) == _APART and (unnamed or image.mode in ("LA", "La", "PA", "LAB"))
    signed = image.mode == "L" and tags.get(_SAMPLE_FORMAT, (1,))[0] == _SIGNED
    return _described(tags) if apart or signed else ""


def correct(image: ImageFile.ImageFile) -> None:
    """Correct how an opened TIFF is decoded: the order of bytes of its values, and a palette of 8 bits."""
    tags: Tags = getattr(image, "tag_v2", {})
    if image.mode in ("I", "F") and len(image.tile) == 1:
        tile = image.tile[0]
        assert isinstance(tile.args, tuple)
        rawmode, *others = tile.args
        # libtiff gives values in this machine's order, which Pillow expects for 16 unsigned bits only.
        image.tile = [tile._replace(args=(rawmode.replace("B", "N"), *others))]
    colours = tags.get(_COLORMAP, ())
    if image.mode in ("P", "PA") and colours and max(colours) < 256:
        image.palette = ImagePalette.raw("RGB;L", bytes(colours))


def values_of(image: Image.Image) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the values of a decoded image of mode I, I;16 or F: 32 unsigned bits are no signed ones."""
    values = np.asarray(image)
    tags: Tags = getattr(image, "tag_v2", {})
    unsigned = image.mode == "I" and tags.get(BITS_PER_SAMPLE, (0,))[0] == 32
    return values.view(np.uint32) if unsigned and tags.get(_SAMPLE_FORMAT, (1,))[0] == 1 else values


def _described(tags: Tags) -> str:
    bits = tags.get(BITS_PER_SAMPLE, (1,))
    formats = tags.get(_SAMPLE_FORMAT, (1,))
    sizes = f"{bits[0]}" if len(set(bits)) == 1 else "/".join(map(str, bits))
    form = _FORMATS.get(formats[0], f"sample format {formats[0]}")
    photometric = tags.get(PHOTOMETRIC, -1)
    parts = [_COLOURS.get(photometric, f"colours {photometric}"), f"{sizes}-bit {form}"]
    if len(bits) > 1:
        parts.append(f"{len(bits)} samples")
    if tags.get(_PLANAR, 1) == _APART:
        parts.append("planes apart")
    if extra := [kind for kind in tags.get(_EXTRA_SAMPLES, ()) if kind in (_ASSOCIATED_ALPHA, _ALPHA)]:
        parts.append("with alpha" if _ALPHA in extra else "with premultiplied alpha")
    compression = tags.get(COMPRESSION, 1)
    if compression not in TiffImagePlugin.COMPRESSION_INFO:
        parts.append(f"compression {compression}")
    return ", ".join(parts)
