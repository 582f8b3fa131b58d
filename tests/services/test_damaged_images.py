"""Images of every format and mode, damaged as files suffer it: stored whole, or refused in one line.

The cases are hypothesis's: as many as the profile says, `make soak` makes thousands.
"""

from __future__ import annotations

import hashlib
import io
import struct
import tempfile
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotator.imports.image_intake import store_image
from annotator.imports.thumbnails import SIDE, small_jpeg
from panelwise.domain.errors import LONGEST, FormatError
from panelwise.settings.file_tables import ImageLimits

LIMITS = ImageLimits(max_pixels=400_000, max_side=5_000)
DEEP = {"I;16": np.uint16, "I": np.int32, "F": np.float32}


def _image(mode: str, seed: int = 0) -> Image.Image:
    rng = np.random.default_rng(seed)
    if mode in DEEP:
        return Image.fromarray(rng.integers(0, 60_000, (24, 36)).astype(DEEP[mode]))
    if mode == "LAB":
        return Image.frombytes("LAB", (36, 24), rng.integers(0, 256, (24, 36, 3), np.uint8).tobytes())
    image = Image.fromarray(rng.integers(0, 256, (24, 36, 4), np.uint8), "RGBA" if mode[-1] == "A" else "RGBX")
    return image.convert("RGB").convert(mode) if mode[-1] != "A" else image.convert(mode)


def _saved(kind: str, mode: str, **options: Any) -> bytes:
    out = io.BytesIO()
    _image(mode).save(out, kind, **options)
    return out.getvalue()


def _many(kind: str) -> dict[str, Any]:
    return {"save_all": True, "append_images": [_image("RGB", seed) for seed in (1, 2)]}


def _turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif.tobytes()


WHOLE: dict[str, bytes] = {
    **{f"PNG {mode}": _saved("PNG", mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")},
    "PNG P clear": _saved("PNG", "P", transparency=bytes([0, 128, 255])),
    "PNG turned": _saved("PNG", "RGB", exif=_turned()),
    **{f"JPEG {mode}": _saved("JPEG", mode) for mode in ("L", "RGB", "CMYK", "YCbCr")},
    "JPEG progressive": _saved("JPEG", "RGB", progressive=True, exif=_turned()),
    **{f"WEBP {mode}": _saved("WEBP", mode, lossless=mode == "RGBA") for mode in ("RGB", "RGBA")},
    **{f"GIF {mode}": _saved("GIF", mode) for mode in ("1", "L", "P", "RGB")},
    **{f"BMP {mode}": _saved("BMP", mode) for mode in ("1", "L", "P", "RGB", "RGBA")},
    **{f"PPM {mode}": _saved("PPM", mode) for mode in ("1", "L", "RGB", "I", "F")},
    **{
        f"TIFF {mode}": _saved("TIFF", mode)
        for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I;16", "I", "F")
    },
    **{
        f"TIFF {name}": _saved("TIFF", "RGB", compression=name)
        for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg")
    },
    **{f"{kind} many": _saved(kind, "RGB", **_many(kind)) for kind in ("PNG", "GIF", "WEBP", "TIFF", "MPO")},
}


def _cut(draw: st.DrawFn, data: bytes) -> bytes:
    return data[: draw(st.integers(0, len(data) - 1))]


def _flipped(draw: st.DrawFn, data: bytes) -> bytes:
    changed = bytearray(data)
    # Heads are short, and what they say matters most.
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, min(len(data), draw(st.sampled_from([64, 600, len(data)]))) - 1))
        changed[at] = draw(st.integers(0, 255))
    return bytes(changed)


def _swapped(draw: st.DrawFn, data: bytes) -> bytes:
    a, b, c = sorted(draw(st.lists(st.integers(0, len(data)), min_size=3, max_size=3)))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _prefixed(draw: st.DrawFn, data: bytes) -> bytes:
    other = WHOLE[draw(st.sampled_from(sorted(WHOLE)))]
    return draw(st.one_of(st.binary(min_size=1, max_size=20), st.just(other[: draw(st.integers(1, 40))]))) + data


def _gone(draw: st.DrawFn, data: bytes) -> bytes:
    at = draw(st.integers(0, len(data) - 1))
    return data[:at] + data[at + draw(st.integers(1, 200)) :]


def _repeated(draw: st.DrawFn, data: bytes) -> bytes:
    at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
    return data[:end] + data[at:end] * draw(st.integers(1, 3)) + data[end:]


DAMAGE: tuple[Callable[[st.DrawFn, bytes], bytes], ...] = (
    _cut,
    _flipped,
    _flipped,
    _swapped,
    _prefixed,
    _gone,
    _repeated,
)


def _with_sums(data: bytes) -> bytes:
    """A PNG whose check sums are right again, so that the damage is met further in."""
    out, at = bytearray(data[:8]), 8
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        body = data[at + 4 : at + 8 + size]
        out += data[at : at + 4] + body + struct.pack(">I", zlib.crc32(body))
        at += 12 + size
    return bytes(out)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = WHOLE[draw(st.sampled_from(sorted(WHOLE)))]
    for _ in range(draw(st.integers(1, 2))):
        data = draw(st.sampled_from(DAMAGE))(draw, data) or b"\0"
    return _with_sums(data) if data.startswith(b"\x89PNG") and draw(st.booleans()) else data


def check(data: bytes, folder: Path) -> bool:
    """Store the image; whether it was taken. Fails where anything but a whole image or one line comes of it."""
    source, home = folder / "given", folder / "home"
    source.write_bytes(data)
    try:
        stored = store_image(source, home, "f", LIMITS)
    except FormatError as error:
        told = str(error)
        assert told.startswith(f"{source}: ")
        assert told.isprintable()
        assert len(told) < LONGEST
        assert not home.exists() or not list((home / "images").iterdir())
        return False
    (file,) = (home / "images").iterdir()
    assert home / stored.path == file
    content = file.read_bytes()
    assert hashlib.sha256(content).hexdigest() == stored.sha256
    # What is broken beside the pixels of a file that is kept, such as its EXIF, others may warn of.
    with warnings.catch_warnings(action="ignore"), Image.open(file) as image:
        image.load()
        assert image.format in ("PNG", "JPEG", "MPO", "WEBP")
        assert image.size == (stored.width, stored.height)
        assert image.width * image.height <= LIMITS.max_pixels
    assert all(note.startswith(f"{source}: ") and note.isprintable() for note in stored.notes)
    assert store_image(source, home, "f", LIMITS).path == stored.path
    with Image.open(io.BytesIO(small_jpeg(file))) as small:
        assert max(small.size) <= SIDE
    return True


@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_images_are_taken(name: str, tmp_path: Path) -> None:
    assert check(WHOLE[name], tmp_path)


@given(damaged())
def test_a_damaged_image_is_stored_whole_or_refused_in_one_line(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(data, Path(folder))
