"""Decode image files the same for everyone: whole, within limits, upright, opaque, in 8-bit colours.

What browsers show, annotators mark and models see must be the same pixels. So everything that browsers differ on
is decided here: orientation, transparency (on white), print colours, deep greys, several frames.
"""

from __future__ import annotations

import io
import os
import re
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms, ImageFile, UnidentifiedImageError
from PIL.Image import Transpose

from panelwise.domain.errors import FormatError, one_line
from panelwise.files.image_bytes import (
    IMAGE_FORMATS,
    MAX_SCANS,
    check_png,
    claimed_canvas,
    image_kind,
    is_short,
    other_kind,
    padded,
    png_depth,
    ppm_head,
    scans_of,
    too_many_scans,
    unusual_jpeg,
)
from panelwise.images.tiff import (
    BITS_PER_SAMPLE,
    PHOTOMETRIC,
    correct,
    kind_of_tiff,
    misread,
    one_decoder,
    values_of,
)
from panelwise.settings.file_tables import ImageLimits

#: Formats that browsers show, whose bytes may be stored unchanged. MPO is JPEG with more pictures behind it.
BROWSER_FORMATS = {"PNG": ".png", "JPEG": ".jpg", "MPO": ".jpg", "WEBP": ".webp"}

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
_WHITE_IS_ZERO = 0
#: What JPEG decoders fill the rest with where the data end early.
_FILLED = (128, (128, 128, 128))
_DEEP = ("I", "F")
#: Pages of a TIFF are counted so far: each takes longer to find than the last.
_PAGES = 1000
#: What Pillow says of text or a profile beside the pixels that it does not unpack.
_TOO_MUCH_BESIDE = ("MAX_TEXT_CHUNK", "MAX_TEXT_MEMORY")
#: What Pillow says of a whole file of a kind that it does not decode.
_UNSUPPORTED = re.compile(
    r"\b(unsupported|not (yet )?supported|not available|cannot handle|unknown raw mode)\b", re.I
)
#: Rows are scaled this many values at a time: the copies in between stay small.
_CHUNK = 4_000_000
#: Profiles by the colours they are for; one that does not fit the pixels any more is dropped.
_PROFILE_OF = {"1": b"GRAY", "L": b"GRAY", "P": b"RGB ", "RGB": b"RGB "}

# Pillow's limit and Python's warnings are settings of the whole process; and one image at a time bounds memory.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, upright and opaque, in mode 1, L, P or RGB.

    suffix: file ending if the original bytes can be stored; "" if browsers would show them differently. notes:
    what was lost or changed in decoding, a line each.
    """

    image: Image.Image
    suffix: str
    notes: tuple[str, ...] = ()


def read_bytes(path: Path, limits: ImageLimits | None = None) -> bytes:
    """Return the bytes of an image file. Raises FormatError if it is missing, no ordinary file, or too large.

    Pipes and devices are not opened: they may block or have side effects.
    """
    limits = limits or ImageLimits()
    name = one_line(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            what = "a directory" if path.is_dir() else "no ordinary file (a pipe, socket or device)"
            raise FormatError(f"{name}: is {what}, not an image; correct the record's image")
        # Not blocking, in case it has become a pipe just now.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            there = os.fstat(handle)
            if not stat.S_ISREG(there.st_mode):
                raise FormatError(f"{name}: is no ordinary file; correct the record's image")
            # No more than the file has: reading allocates the requested number of bytes.
            data = file.read(min(there.st_size, limits.max_bytes) + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise FormatError(f"{name}: no such image; put it there, or name its folder with --images") from None
    except OSError as error:
        raise FormatError(
            f"{name}: {error.strerror}; correct the record's image, or see that it can be read"
        ) from None
    except ValueError:  # A NUL, or half a character.
        raise FormatError(f"{str(path)!a}: is no file name; correct the record's image") from None
    if len(data) > limits.max_bytes:
        raise FormatError(f"{name}: {too_many_bytes(limits)}")
    return data


def too_many_bytes(limits: ImageLimits) -> str:
    """Return the message for a file beyond the limit, with what to do."""
    return (
        f"has more than {limits.max_bytes:,} bytes; scale the image down, "
        "or raise max_bytes under [images] in campaign.toml"
    )


def read_picture(data: bytes, where: object, limits: ImageLimits | None = None) -> Picture:
    """Decode an image whole. where: its file or URL, for messages.

    Raises FormatError if it is no image, damaged, truncated, or beyond a limit. Of several frames or pages the
    first is used, grey values of more than 8 bits are scaled to black to white; `notes` mentions both.
    """
    limits = limits or ImageLimits()
    where = one_line(where)
    _check_head(data, where, limits)
    with _one_line_errors(where, limits, data), Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
        _check_size(image.size, where, limits)
        unsound = check_png(data, where) if image.format == "PNG" else unusual_jpeg(data)
        kind = image.format or ""
        frames = _frames(image, kind)
        _load(image, where)
        cut = _check_end(image, data, where)
        bits = png_depth(data) or _ppm_depth(data, where)
        _set_transparency(image, bits)
        shown = _opaque(_eight_bits(_turned(image)))
        # An unchanged PNG loses nothing.
        depth = _depth(image, 0 if shown is image and kind == "PNG" else bits)
        anew = unsound and f"{unsound}, which browsers may not show: stored as a new PNG"
        notes = [f"{where}: {note}" for note in (frames, depth, anew, cut) if note]
        suffix = BROWSER_FORMATS.get(kind, "") if shown is image and not notes else ""
        if not suffix:
            profile = image.info.get("icc_profile")
            shown = shown.copy() if shown is image else shown
            # Nothing else of the file goes along: where it was taken, by whom, previews.
            fits = isinstance(profile, bytes) and profile[16:20] == _PROFILE_OF.get(shown.mode)
            shown.info = {"icc_profile": profile} if fits else {}
        return Picture(shown, suffix, tuple(notes))


def picture_size(path: Path) -> tuple[int, int]:
    """Return width and height of the upright image, from the file's header. Raises FormatError."""
    limits = ImageLimits()
    data = read_bytes(path, limits)
    where = one_line(path)
    _check_head(data, where, limits)
    with _one_line_errors(where, limits, data), Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
        width, height = image.size
        # Pillow gives the size of a TIFF upright.
        if image.format != "TIFF" and _orientation(image) >= 5:
            width, height = height, width
        _check_size((width, height), where, limits)
        return width, height


def as_png(picture: Picture) -> bytes:
    """Return the picture as a PNG file."""
    out = io.BytesIO()
    picture.image.save(out, "PNG")
    return out.getvalue()


def _check_head(data: bytes, where: str, limits: ImageLimits) -> None:
    """Refuse files that must not be opened."""
    if not data:
        raise FormatError(f"{where}: is no image, the file is empty; get a whole copy")
    canvas = claimed_canvas(data)
    if canvas is not None:
        _check_size(canvas, where, limits)
    if too_many_scans(data):
        raise FormatError(f"{where}: is a JPEG of more than {MAX_SCANS:,} scans; save it again")


def _ppm_depth(data: bytes, where: str) -> int:
    """Return bits per sample of a PGM or PPM; 0 for others. Raises FormatError for values beyond its head's."""
    largest, start = ppm_head(data)
    packed = largest and data[1] in b"56"
    kind = np.dtype(np.uint8 if largest < 256 else ">u2")
    values = np.frombuffer(data, kind, (len(data) - start) // kind.itemsize, start) if packed else np.empty(0)
    if values.size and values.max() > largest:
        raise FormatError(
            f"{where}: has values above {largest:,}, the largest that its head states; save it again"
        )
    return largest.bit_length()


def _load(image: ImageFile.ImageFile, where: str) -> None:
    """Decode the opened image. Raises FormatError for a TIFF of values that would be misread."""
    if image.format == "TIFF":
        if kind := misread(image):
            raise _not_read(where, "TIFF", kind)
        correct(image)
    image.load()


def _check_end(image: Image.Image, data: bytes, where: str) -> str:
    """Return the note on a progressive JPEG without its last scans; "" for others.

    Raises FormatError for a JPEG or PNG whose data end before its last pixel. Decoders fill the rest with grey or
    zeros, without an error.
    """
    if image.format == "PNG":
        interlaced, last_row = data[28] != 0, (0, image.height - 1, image.width, image.height)
        if (interlaced or image.crop(last_row).getbbox() is None) and is_short(data):
            raise FormatError(
                f"{where}: the image is damaged (a PNG whose last rows are missing); get a whole copy"
            )
    if image.format not in ("JPEG", "MPO"):
        return ""
    scans = scans_of(data)
    filled = image.getpixel((image.width - 1, image.height - 1)) in _FILLED
    if scans.end and (filled or scans.count > 1 or image.mode == "CMYK"):
        # Whole data are followed by bytes that no decoder looks at; of data that end early they become pixels.
        with Image.open(io.BytesIO(padded(data, scans)), formats=IMAGE_FORMATS) as other:
            if other.tobytes() != image.tobytes():
                raise FormatError(
                    f"{where}: the image is damaged (a JPEG whose data end before its last row); get a whole copy"
                )
    if scans.is_incomplete:
        return "a progressive JPEG without its last scans, so it may be blurred; get a whole copy"
    return ""


def _not_read(where: str, kind: str, which: str) -> FormatError:
    return FormatError(
        f"{where}: a {kind} of this kind is not read ({which}); save it as PNG with 8 bits a colour"
    )


def _check_size(size: tuple[int, int], where: str, limits: ImageLimits) -> None:
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
def _one_line_errors(where: str, limits: ImageLimits, data: bytes) -> Iterator[None]:
    """Convert Pillow's exceptions to one line, with Pillow's pixel limit set to ours meanwhile."""
    # libtiff tells the terminal of damage, without the file's name; no other reader does.
    quiet = _no_chatter() if image_kind(data) == "TIFF" else nullcontext()
    with _one_at_a_time, warnings.catch_warnings(), quiet, one_decoder():
        warnings.simplefilter("ignore")
        before = Image.MAX_IMAGE_PIXELS
        # Frames of an animation are checked by Pillow only; sizes by `_check_size`, with a message of its own.
        Image.MAX_IMAGE_PIXELS = None
        try:
            yield
        except FormatError:
            raise
        except UnidentifiedImageError:
            kind, other = image_kind(data), other_kind(data)
            if which := kind_of_tiff(data) if kind == "TIFF" else unusual_jpeg(data):
                raise _not_read(where, kind, which) from None
            if kind:
                raise FormatError(f"{where}: the image is damaged (a {kind} cut off?); get a whole copy") from None
            raise FormatError(
                f"{where}: is no image that can be read{f' ({other})' if other else ''}; "
                "give PNG, JPEG, WebP, GIF, TIFF or BMP"
            ) from None
        except MemoryError:
            raise FormatError(
                f"{where}: does not fit into memory; scale it down, or lower max_pixels ({limits.max_pixels:,}) "
                "under [images] in campaign.toml"
            ) from None
        except Exception as error:  # Pillow's readers raise errors of any kind on damaged files.
            if any(limit in str(error) for limit in _TOO_MUCH_BESIDE):
                raise FormatError(
                    f"{where}: holds more text or a larger colour profile beside its pixels than is unpacked "
                    "(1 MiB each); save it without"
                ) from None
            kind, which = image_kind(data), unusual_jpeg(data)
            if which or _UNSUPPORTED.search(str(error)) or (kind == "TIFF" and isinstance(error, KeyError)):
                which = which or (kind == "TIFF" and kind_of_tiff(data)) or one_line(error)
                raise _not_read(where, kind or "file", which) from None
            raise FormatError(f"{where}: the image is damaged{_detail(error)}; get a whole copy") from None
        finally:
            Image.MAX_IMAGE_PIXELS = before


def _detail(error: Exception) -> str:
    """Return a decoder's description of the damage, in parentheses; "" if it concerns its code, not the file."""
    text = one_line(error) if isinstance(error, (OSError, SyntaxError, ValueError, EOFError)) else ""
    return f" ({text})" if " " in text else ""


def _frames(image: Image.Image, kind: str) -> str:
    """Return the note on a file with several frames; "" for one. JPEG's further pictures are previews."""
    if kind in ("JPEG", "MPO"):
        return ""
    what = "pages" if kind == "TIFF" else "frames"
    try:
        count = _pages(image) if kind == "TIFF" else int(getattr(image, "n_frames", 1))
    except Exception as error:  # The first frame may be whole, even if the next one is damaged.
        image.seek(0)
        return f"has more {what}, which are damaged{_detail(error)}; the first was taken"
    if count == 1:
        return ""
    image.seek(0)
    number = f"more than {_PAGES:,}" if kind == "TIFF" and count > _PAGES else f"{count}"
    return f"has {number} {what}; the first was taken, give others as figures of their own"


def _pages(image: Image.Image) -> int:
    """The pages of a TIFF, at most one more than _PAGES."""
    count = 1
    with suppress(EOFError):
        while count <= _PAGES:
            image.seek(count)
            count += 1
    return count


def _depth(image: Image.Image, bits: int) -> str:
    """Return the note on values of more than 8 bits; "" without loss. bits: per sample, of a PNG."""
    if image.format == "TIFF":
        bits = max(_tag(image, BITS_PER_SAMPLE, (8,)))
    if image.mode.startswith(_DEEP):
        low, high = _extent(image)
        kind = "floating-point" if image.mode == "F" else f"{max(bits, 16)}-bit"
        odd = int(np.count_nonzero(~np.isfinite(values_of(image))))
        beyond = f"; infinite ones and those that are no numbers ({odd:,}) are shown black or white" if odd else ""
        if low == high:
            return f"its {kind} grey values are all {low:g}: shown as one plain grey{beyond}"
        return f"{kind} grey values {low:g} to {high:g} were spread over 0 to 255{beyond}"
    return "of the more than 8 bits of each colour the upper 8 were taken" if bits > 8 else ""


def _set_transparency(image: Image.Image, bits: int) -> None:
    """Convert a PNG's transparent colour from its own bits per sample to the 8 bits that Pillow compares."""
    clear = image.info.get("transparency")
    if image.mode == "L" and isinstance(clear, int) and bits in (2, 4):
        image.info["transparency"] = clear * 255 // ((1 << bits) - 1)
    elif image.mode == "RGB" and isinstance(clear, tuple) and bits == 16:
        image.info["transparency"] = tuple(value >> 8 for value in clear)


def _tag(image: Image.Image, number: int, default: tuple[int, ...]) -> tuple[int, ...]:
    value = getattr(image, "tag_v2", {}).get(number, default)
    return value if isinstance(value, tuple) else (value,)


def _orientation(image: Image.Image) -> int:
    """Return EXIF's orientation, 1 to 8; 1 without one. XMP's is ignored, as browsers do."""
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif", b""))
        value = exif.get(_ORIENTATION, 1)
    except Exception:  # Broken EXIF in a whole image: browsers ignore it.
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _turned(image: Image.Image) -> Image.Image:
    """Return the image upright, the same object if it is. Pillow rotates a TIFF while loading."""
    if image.format == "TIFF":
        return image
    orientation = _orientation(image)
    return image if orientation == 1 else image.transpose(_UPRIGHT[orientation - 2])


def _eight_bits(image: Image.Image) -> Image.Image:
    """Return the image in mode 1, L, LA, P, PA, RGB or RGBA, the same object if it is in one."""
    if image.mode.startswith(_DEEP):
        return _spread(image)
    if image.mode == "CMYK":
        return _from_print(image)
    if image.mode in ("La", "RGBa"):
        return image.convert("LA" if image.mode == "La" else "RGBA")
    return image if image.mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA") else image.convert("RGB")


def _from_print(image: Image.Image) -> Image.Image:
    """Convert CMYK to screen colours, by its colour profile if it has a usable one."""
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
    """Return the lowest and highest finite value that is not transparent; (0, 0) without any."""
    values = values_of(image)
    kept = np.isfinite(values)
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        kept &= values != clear
    finite = values[kept]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _spread(image: Image.Image) -> Image.Image:
    """Scale grey values of any range to 0 to 255: the lowest is black, the highest white, NaN is black.

    A value that the file declares transparent is white.
    """
    low, high = _extent(image)
    values = values_of(image)
    # Halved first: the difference of two large floats may be none.
    reach = high / 2 - low / 2
    scale = 127.5 / reach if reach > 0 else 0.0
    shown = np.empty(values.shape, np.uint8)
    rows = max(1, _CHUNK // values.shape[1])
    for start in range(0, len(values), rows):
        part = values[start : start + rows].astype(np.float64)
        part = np.clip(np.nan_to_num((part - low) * scale, nan=0.0, posinf=255.0, neginf=0.0), 0, 255)
        shown[start : start + rows] = np.rint(part)
    if _tag(image, PHOTOMETRIC, (1,))[0] == _WHITE_IS_ZERO:
        np.subtract(255, shown, out=shown)
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        shown[values == clear] = 255
    return Image.fromarray(shown)


def _opaque(image: Image.Image) -> Image.Image:
    """Return the image on white if any of it is transparent, else the same object.

    Articles have white pages; viewers' backgrounds differ, which would change what is seen.
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


_STDERR = 2


@contextmanager
def _no_chatter() -> Iterator[None]:
    """Discard all that this process writes to file descriptor 2 meanwhile; use it briefly.

    Without that descriptor it does nothing.
    """
    try:
        kept = os.dup(_STDERR)
    except OSError:
        yield
        return
    try:
        away = os.open(os.devnull, os.O_WRONLY)
        os.dup2(away, _STDERR)
        os.close(away)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
