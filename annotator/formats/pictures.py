"""Image files as everyone is to see them: read whole within limits, upright, opaque, in 8-bit colours.

What browsers show, what annotators mark and what models look at must be the same pixels. So whatever browsers
differ on is settled here: orientation, transparency (on white), print colours, deep greys, several frames.
"""

from __future__ import annotations

import io
import os
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms, UnidentifiedImageError
from PIL.Image import Transpose

from annotator.domain.errors import FormatError, one_line
from annotator.formats.campaign_toml import ImageLimits
from annotator.formats.figures import IMAGE_FORMATS

#: Formats that browsers show, whose bytes may be kept as they come. MPO is JPEG with more pictures behind it.
KEPT = {"PNG": ".png", "JPEG": ".jpg", "MPO": ".jpg", "WEBP": ".webp"}

_ORIENTATION = 0x0112
#: EXIF's orientations, from 2 on: what turns the stored pixels upright.
_UPRIGHT = (
    Transpose.FLIP_LEFT_RIGHT,
    Transpose.ROTATE_180,
    Transpose.FLIP_TOP_BOTTOM,
    Transpose.TRANSPOSE,
    Transpose.ROTATE_270,
    Transpose.TRANSVERSE,
    Transpose.ROTATE_90,
)
_BITS_PER_SAMPLE, _PHOTOMETRIC, _WHITE_IS_ZERO = 258, 262, 0
_DEEP = ("I", "F")
#: Rows are scaled so many values at a time: the copies in between stay small.
_CHUNK = 4_000_000
#: Profiles by the colours they are for; one that does not fit the pixels any more is dropped.
_PROFILE_OF = {"1": b"GRAY", "L": b"GRAY", "P": b"RGB ", "RGB": b"RGB "}

# Pillow's limit and Python's warnings are settings of the whole process; and one image at a time bounds memory.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, upright and opaque, in mode 1, L, P or RGB.

    suffix: the file ending under which the bytes may be kept as they came; "" where browsers would show them
    otherwise than `image`. notes: what of the file is not in the image, or not as it was; a line each.
    """

    image: Image.Image
    suffix: str
    notes: tuple[str, ...] = ()


def read_bytes(path: Path, limits: ImageLimits | None = None) -> bytes:
    """The bytes of an image file. Raises FormatError where it is missing, no ordinary file, or too large.

    Pipes and devices are not even opened: they may block, or do something.
    """
    limits = limits or ImageLimits()
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            what = "a directory" if path.is_dir() else "no ordinary file (a pipe, socket or device)"
            raise FormatError(f"{path}: is {what}, not an image; correct the record's image")
        # Not blocking, in case it has become a pipe just now.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            there = os.fstat(handle)
            if not stat.S_ISREG(there.st_mode):
                raise FormatError(f"{path}: is no ordinary file; correct the record's image")
            # No more than there is: reading sets aside as much memory as it is asked for.
            data = file.read(min(there.st_size, limits.max_bytes) + 1)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such image; put it there, or name its folder with --images") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise FormatError(f"{str(path)!r}: is no file name ({error}); correct the record's image") from None
    if len(data) > limits.max_bytes:
        raise FormatError(f"{path}: {too_many_bytes(limits)}")
    return data


def too_many_bytes(limits: ImageLimits) -> str:
    """What is wrong with a file beyond the limit, and what to do."""
    return (
        f"has more than {limits.max_bytes:,} bytes; scale the image down, "
        "or raise max_bytes under [images] in campaign.toml"
    )


def read_picture(data: bytes, where: object, limits: ImageLimits | None = None) -> Picture:
    """Decode an image whole. where: its file or URL, for messages.

    Raises FormatError where it is no image, damaged, cut off, or beyond a limit. Of several frames or pages the
    first is taken, grey values of more than 8 bits are spread over black to white; both are told in `notes`.
    """
    limits = limits or ImageLimits()
    with _told(where, limits), Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
        _check_size(image.size, where, limits)
        image.load()
        kind = image.format or ""
        notes = [f"{where}: {note}" for note in (_frames(image, kind), _depth(image)) if note]
        turned = _turned(image)
        shown = _opaque(_eight_bits(turned))
        suffix = KEPT.get(kind, "") if shown is image and not notes else ""
        if not suffix:
            profile = image.info.get("icc_profile")
            shown = shown.copy() if shown is image else shown
            # Nothing else of the file goes along: where it was taken, by whom, previews.
            fits = isinstance(profile, bytes) and profile[16:20] == _PROFILE_OF.get(shown.mode)
            shown.info = {"icc_profile": profile} if fits else {}
        return Picture(shown, suffix, tuple(notes))


def picture_size(path: Path, limits: ImageLimits | None = None) -> tuple[int, int]:
    """Width and height of the upright image, from the file's head. Raises FormatError."""
    limits = limits or ImageLimits()
    data = read_bytes(path, limits)
    with _told(path, limits), Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
        width, height = image.size
        # Pillow gives the size of a TIFF upright.
        if image.format != "TIFF" and _orientation(image) >= 5:
            width, height = height, width
        _check_size((width, height), path, limits)
        return width, height


def as_png(picture: Picture) -> bytes:
    """The picture as a PNG file."""
    out = io.BytesIO()
    picture.image.save(out, "PNG")
    return out.getvalue()


def _check_size(size: tuple[int, int], where: object, limits: ImageLimits) -> None:
    width, height = size
    if width < 1 or height < 1:
        raise FormatError(f"{where}: is an image of {width} x {height} pixels; get a whole copy")
    for name, value, limit in (
        ("max_pixels", width * height, limits.max_pixels),
        ("max_side", max(width, height), limits.max_side),
    ):
        if value > limit:
            what = "pixels" if name == "max_pixels" else "pixels along a side"
            raise FormatError(
                f"{where}: has {width:,} x {height:,} pixels, more than {limit:,} {what}; scale it down, "
                f"or raise {name} under [images] in campaign.toml"
            )


@contextmanager
def _told(where: object, limits: ImageLimits) -> Iterator[None]:
    """Turns what Pillow raises into one line, with Pillow's own limit on pixels set to ours meanwhile."""
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = Image.MAX_IMAGE_PIXELS
        # Frames of an animation are checked by Pillow only; sizes by `_check_size`, with a message of its own.
        Image.MAX_IMAGE_PIXELS = None
        try:
            yield
        except FormatError:
            raise
        except UnidentifiedImageError:
            raise FormatError(
                f"{where}: is no image that can be read; give PNG, JPEG, WebP, GIF, TIFF or BMP"
            ) from None
        except MemoryError:
            raise FormatError(
                f"{where}: does not fit into memory; scale it down, or lower max_pixels ({limits.max_pixels:,}) "
                "under [images] in campaign.toml"
            ) from None
        except Exception as error:  # Pillow's readers raise whatever they meet in a damaged file.
            raise FormatError(f"{where}: the image is damaged ({one_line(error)}); get a whole copy") from None
        finally:
            Image.MAX_IMAGE_PIXELS = before


def _frames(image: Image.Image, kind: str) -> str:
    """What to tell of a file with several frames; "" for one. JPEG's further pictures are previews."""
    if kind in ("JPEG", "MPO"):
        return ""
    try:
        count = int(getattr(image, "n_frames", 1))
    except Exception as error:  # The first frame is whole, whatever follows it.
        image.seek(0)
        image.load()
        return f"has more frames, which are damaged ({one_line(error)}); the first was taken"
    if count == 1:
        return ""
    image.seek(0)
    image.load()
    what = "pages" if kind == "TIFF" else "frames"
    return f"has {count} {what}; the first was taken, give others as figures of their own"


def _depth(image: Image.Image) -> str:
    """What to tell of values of more than 8 bits; "" where browsers show them as they are."""
    if image.mode.startswith(_DEEP):
        low, high = _extent(image)
        kind = "floating-point" if image.mode == "F" else "16-bit" if image.mode.startswith("I;16") else "32-bit"
        return f"{kind} grey values {low:g} to {high:g} were spread over 0 to 255"
    if image.format == "TIFF" and max(_tag(image, _BITS_PER_SAMPLE, (8,))) > 8:
        return "of the more than 8 bits of each colour the upper 8 were taken"
    return ""


def _tag(image: Image.Image, number: int, default: tuple[int, ...]) -> tuple[int, ...]:
    value = getattr(image, "tag_v2", {}).get(number, default)
    return value if isinstance(value, tuple) else (value,)


def _orientation(image: Image.Image) -> int:
    """EXIF's orientation, 1 to 8; 1 where there is none. XMP's is not looked at: browsers do not either."""
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif", b""))
        value = exif.get(_ORIENTATION, 1)
    except Exception:  # Broken EXIF beside a whole image: browsers pass it over, whatever is wrong with it.
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _turned(image: Image.Image) -> Image.Image:
    """The image upright; the very same where it is. A TIFF is turned by Pillow as it is loaded."""
    if image.format == "TIFF":
        return image
    orientation = _orientation(image)
    return image if orientation == 1 else image.transpose(_UPRIGHT[orientation - 2])


def _eight_bits(image: Image.Image) -> Image.Image:
    """The image in mode 1, L, LA, P, PA, RGB or RGBA; the very same where it is in one."""
    if image.mode.startswith(_DEEP):
        return _spread(image)
    if image.mode == "CMYK":
        return _from_print(image)
    if image.mode in ("La", "RGBa"):
        return image.convert("LA" if image.mode == "La" else "RGBA")
    return image if image.mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA") else image.convert("RGB")


def _from_print(image: Image.Image) -> Image.Image:
    """CMYK on the screen: by its colour profile where it has one that can be used."""
    profile = image.info.get("icc_profile")
    if isinstance(profile, bytes) and profile[16:20] == b"CMYK":
        try:
            given = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            found = ImageCms.profileToProfile(image, given, ImageCms.createProfile("sRGB"), outputMode="RGB")
        except (ImageCms.PyCMSError, OSError):
            return image.convert("RGB")  # A profile that cannot be read helps nobody: as without one.
        if found is not None:
            return found
    return image.convert("RGB")


def _extent(image: Image.Image) -> tuple[float, float]:
    """The lowest and highest finite value; (0, 0) where there is none."""
    values = np.asarray(image)
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _spread(image: Image.Image) -> Image.Image:
    """Grey values of any range as 0 to 255: the lowest is black, the highest white, what is no number is black."""
    low, high = _extent(image)
    values = np.asarray(image)
    # Halved first: the difference of two large floats may be none.
    reach = high / 2 - low / 2
    scale = 127.5 / reach if reach > 0 else 0.0
    shown = np.empty(values.shape, np.uint8)
    rows = max(1, _CHUNK // values.shape[1])
    for start in range(0, len(values), rows):
        part = values[start : start + rows].astype(np.float64)
        part = np.clip(np.nan_to_num((part - low) * scale, nan=0.0, posinf=255.0, neginf=0.0), 0, 255)
        shown[start : start + rows] = np.rint(part)
    if _tag(image, _PHOTOMETRIC, (1,))[0] == _WHITE_IS_ZERO:
        np.subtract(255, shown, out=shown)
    return Image.fromarray(shown)


def _opaque(image: Image.Image) -> Image.Image:
    """The image on white where anything of it is transparent; the very same where nothing is.

    Articles are on white pages; viewers each have a background of their own, and it would change what is seen.
    """
    if not image.has_transparency_data:
        return image.convert("RGB") if image.mode == "PA" else image
    grey = image.mode in ("L", "LA", "1")
    full = image.convert("LA" if grey else "RGBA")
    alpha = full.getchannel("A")
    if alpha.getextrema() == (255, 255):
        return image if image.mode != "PA" else image.convert("RGB")
    flat = Image.new("L" if grey else "RGB", image.size, "white")
    flat.paste(full.convert(flat.mode), mask=alpha)
    return flat
