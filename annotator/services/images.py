"""Bringing an image into a campaign's home: checked whole, upright, in a form that browsers show."""

from __future__ import annotations

import hashlib
import io
import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.errors import FormatError
from annotator.formats.figures import IMAGE_FORMATS

#: Formats that browsers show and that are stored as they come; all else is stored as PNG.
_KEPT = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}
_EXIF_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class StoredImage:
    """Where an image now lies (relative to the home), its pixels, and the SHA-256 of the stored bytes."""

    path: str
    width: int
    height: int
    sha256: str


def store_image(source: Path, home: Path, figure_id: str) -> StoredImage:
    """Copy `source` into `home`/images and return where it lies; the same bytes give the same path.

    The stored image is upright: an EXIF orientation is applied. Raises FormatError where the file is missing,
    no image, cut off, or so large that decoding it would be an attack.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        data = source.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{source}: no such image; put it there, or name its folder with --images") from None
    except OSError as error:
        raise FormatError(f"{source}: {error.strerror}") from None
    except ValueError as error:
        raise FormatError(f"{str(source)!r}: is no file name ({error}); correct the record's image") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
                image.load()
                name = image.format or ""
                turned = image.getexif().get(_EXIF_ORIENTATION, 1) != 1
                if name not in _KEPT or turned or image.mode in ("CMYK", "I;16", "I", "F"):
                    image.seek(0)
                    upright = ImageOps.exif_transpose(image)
                    data, name = _as_png(upright), "PNG"
                    width, height = upright.size
                else:
                    width, height = image.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        limit = Image.MAX_IMAGE_PIXELS
        raise FormatError(f"{source}: has more than {limit:,} pixels; scale it down") from None
    except UnidentifiedImageError:
        raise FormatError(
            f"{source}: is no image that can be read; give PNG, JPEG, WebP, GIF, TIFF or BMP"
        ) from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise FormatError(f"{source}: the image is damaged ({error}); get a whole copy") from None
    digest = hashlib.sha256(data).hexdigest()
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", figure_id).strip("._")[:80] or "figure"
    path = f"images/{safe}-{digest[:12]}{_KEPT[name]}"
    _write_once(home / path, data)
    return StoredImage(path, width, height, digest)


def _as_png(image: object) -> bytes:
    """PNG bytes in a mode that browsers show; 16-bit and float grey is scaled to its own range."""
    from PIL import Image

    assert isinstance(image, Image.Image)
    if image.mode in ("I;16", "I;16B", "I", "F"):
        low, high = image.convert("F").getextrema()
        assert isinstance(low, float)
        assert isinstance(high, float)
        scale = 255.0 / (high - low) if high > low else 0.0
        image = image.convert("F").point(lambda value: value * scale - low * scale).convert("L")
    elif image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA"):
        image = image.convert("RGB")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _write_once(path: Path, data: bytes) -> None:
    """Write through a temporary name, so that a crash leaves no half image under the final one."""
    if path.exists() and path.stat().st_size == len(data):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(data)
    partial.replace(path)
