"""Every value of a picture is what its writer wrote, or the file is refused with the cause."""

from __future__ import annotations

import io
import itertools
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from tiff_files import tiff

from annotator.imports.image_intake import store_bytes
from panelwise.domain.errors import FormatError
from panelwise.images.decode import as_png, read_picture

ORDERS_AND_PACKING = list(itertools.product("<>", (False, True), (0, 16)))
HEIGHT, WIDTH = 24, 40
UNSPECIFIED, PREMULTIPLIED, ALPHA = 0, 1, 2


def drawn(kind: str, samples: int = 0) -> NDArray[Any]:
    """Values over the whole range of their type; a sample is never above the last one, which may be alpha."""
    random = np.random.default_rng(len(kind) + samples)
    shape = (HEIGHT, WIDTH, samples) if samples else (HEIGHT, WIDTH)
    if kind.startswith("f"):
        return random.normal(0, 100, shape).astype(kind)
    reach = np.iinfo(kind)
    return random.integers(reach.min, reach.max, shape, dtype=kind, endpoint=True)


def spread(values: NDArray[Any]) -> NDArray[Any]:
    exact = values.astype(np.float64)
    return np.rint((exact - exact.min()) * 255 / (exact.max() - exact.min()))


def shown(data: bytes, mode: str = "RGB") -> NDArray[Any]:
    return np.asarray(read_picture(data, "f").image.convert(mode)).astype(float)


def refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as raised:
        read_picture(data, "f")
    return str(raised.value)


@pytest.mark.parametrize(("order", "deflate", "tile"), ORDERS_AND_PACKING)
@pytest.mark.parametrize("kind", ["u1", "u2", "i2", "u4", "i4", "f4"])
@pytest.mark.parametrize("predicted", [False, True])
def test_grey_values_of_any_type_and_order_are_read_or_refused_as_unsupported(
    kind: str, order: str, deflate: bool, tile: int, predicted: bool
) -> None:
    values = drawn(kind)
    predictor = (3 if kind == "f4" else 2) if deflate and predicted else 1
    data = tiff(values, 1, order=order, deflate=deflate, tile=tile, predictor=predictor)
    if (kind, order) == ("u4", ">"):
        assert "a TIFF of this kind is not read (grey, 32-bit unsigned)" in refusal(data)
        return
    expected = values if kind == "u1" else spread(values)
    assert np.abs(shown(data, "L") - expected).max() <= 1


@pytest.mark.parametrize(("order", "deflate", "tile"), ORDERS_AND_PACKING)
@pytest.mark.parametrize("kind", ["u1", "u2"])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("extra", [(), (UNSPECIFIED,), (ALPHA,), (PREMULTIPLIED,)])
def test_colours_are_read_whether_planes_lie_apart_or_not(
    kind: str, order: str, deflate: bool, tile: int, apart: bool, extra: tuple[int, ...]
) -> None:
    values = drawn(kind, 3 + len(extra))
    if extra == (PREMULTIPLIED,):
        values = np.minimum(values, values[:, :, 3:])
    data = tiff(values, 2, order=order, deflate=deflate, tile=tile, apart=apart, extra=extra)
    upper = (values if kind == "u1" else values >> 8).astype(float)
    expected = upper[:, :, :3]
    if extra in ((ALPHA,), (PREMULTIPLIED,)):
        part = upper[:, :, 3:] / 255
        expected = expected * (part if extra == (ALPHA,) else 1) + 255 * (1 - part)
    assert np.abs(shown(data) - expected).max() <= 3


@pytest.mark.parametrize(("order", "deflate", "tile"), ORDERS_AND_PACKING)
def test_print_colours_and_chroma_are_read_whether_planes_lie_apart_or_not(
    order: str, deflate: bool, tile: int
) -> None:
    layout: dict[str, Any] = {"order": order, "deflate": deflate, "tile": tile}
    for kind, apart in itertools.product(("u1", "u2"), (False, True)):
        ink = drawn(kind, 4)
        upper = (ink if kind == "u1" else ink >> 8).astype(float)
        expected = (255 - upper[:, :, :3]) * (255 - upper[:, :, 3:]) / 255
        assert np.abs(shown(tiff(ink, 5, apart=apart, **layout)) - expected).max() <= 3
    for apart in (False, True):
        chroma = drawn("u1", 3)
        light, blue, red = (chroma[:, :, each].astype(float) for each in range(3))
        blue, red = blue - 128, red - 128
        expected = np.stack([light + 1.402 * red, light - 0.344 * blue - 0.714 * red, light + 1.772 * blue], -1)
        data = tiff(chroma, 6, apart=apart, more={530: [1, 1]}, **layout)
        assert np.abs(shown(data) - np.clip(expected, 0, 255)).max() <= 3


def test_lab_colours_are_those_of_another_reader() -> None:
    for light, green, blue in ((128, 0, 0), (140, 30, -20), (180, -30, 40)):
        values = np.full((8, 8, 3), (light, green % 256, blue % 256), np.uint8)
        lab = np.array([[[light * 100 / 255, green, blue]]], np.float32)
        other = cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)[0, 0] * 255
        assert np.abs(shown(tiff(values, 8))[0, 0] - other).max() < 8
        assert "(CIE Lab, 8-bit unsigned, 3 samples, planes apart)" in refusal(tiff(values, 8, apart=True))


@pytest.mark.parametrize(
    ("kind", "samples", "options", "described"),
    [
        ("i1", 0, {}, "grey, 8-bit signed"),
        ("f2", 0, {}, "grey, 16-bit floating-point"),
        ("f8", 0, {}, "grey, 64-bit floating-point"),
        ("u8", 0, {"order": ">"}, "grey, 64-bit unsigned"),
        ("u4", 3, {}, "RGB, 32-bit unsigned, 3 samples"),
        ("f4", 3, {"apart": True}, "RGB, 32-bit floating-point, 3 samples, planes apart"),
        ("u1", 4, {"apart": True}, "RGB, 8-bit unsigned, 4 samples, planes apart"),
        ("u1", 2, {"apart": True, "extra": (ALPHA,)}, "grey, 8-bit unsigned, 2 samples, planes apart, with alpha"),
        ("u1", 0, {"more": {259: [34887]}}, "grey, 8-bit unsigned, compression 34887"),
        ("u2", 0, {"more": {262: [32844]}}, "LogL, 16-bit unsigned"),
        ("u1", 3, {"more": {258: [5, 6, 5]}}, "RGB, 5/6/5-bit unsigned, 3 samples"),
    ],
)
def test_a_whole_tiff_of_another_kind_is_called_unsupported_not_damaged(
    kind: str, samples: int, options: dict[str, Any], described: str
) -> None:
    photometric = 2 if samples > 2 else 1
    message = refusal(tiff(drawn(kind, samples), photometric, **options))
    assert message == f"f: a TIFF of this kind is not read ({described}); save it as PNG with 8 bits a colour"


def test_a_tiff_without_its_tags_or_values_is_damaged() -> None:
    assert "the image is damaged" in refusal(tiff(drawn("f8"), 1)[:200])
    cut = bytearray(tiff(drawn("u1"), 1))
    cut[4:8] = struct.pack("<I", 10**6)
    assert "the image is damaged (a TIFF cut off?)" in refusal(bytes(cut))


def test_twelve_bits_are_read() -> None:
    values = np.random.default_rng(3).integers(0, 4096, (HEIGHT, WIDTH), dtype=np.uint16)
    for order, deflate in itertools.product("<", (False, True)):
        assert (
            np.abs(shown(tiff(values, 1, order=order, deflate=deflate, bits=12), "L") - spread(values)).max() <= 1
        )


def test_a_palette_of_eight_bits_is_as_bright_as_one_of_sixteen() -> None:
    values = np.array([[0, 1], [2, 3]], np.uint8).repeat(8, 0).repeat(8, 1)
    palette = [0] * 768
    palette[1], palette[256 + 2], palette[512 + 3] = 200, 100, 50
    for colours in (palette, [each * 257 for each in palette]):
        picture = shown(tiff(values, 3, more={320: colours}))
        assert picture[::8, ::8].tolist() == [[[0, 0, 0], [200, 0, 0]], [[0, 100, 0], [0, 0, 50]]]


def test_the_first_page_of_several_is_read_as_if_it_were_alone() -> None:
    # Big-endian packed floats: how they are decoded must be put right after the pages were counted too.
    values = drawn("f4")
    data = tiff(values, 1, order=">", deflate=True)
    start = struct.unpack(">I", data[4:8])[0]
    count = struct.unpack(">H", data[start : start + 2])[0]
    end = start + 2 + 12 * count
    # Its second page is a copy of the first one's tags.
    again = data[start:end] + bytes(4)
    paged = data[:end] + struct.pack(">I", len(data)) + data[end + 4 :] + again
    picture = read_picture(paged, "f")
    assert picture.notes[0] == "f: has 2 pages; the first was taken, give others as figures of their own"
    assert np.abs(np.asarray(picture.image).astype(float) - spread(values)).max() <= 1


def test_values_that_are_no_numbers_are_counted_in_the_note() -> None:
    values = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
    values[0, 0], values[1, 1], values[2, 2] = np.nan, np.inf, -np.inf
    note = read_picture(tiff(values, 1), "f").notes[0]
    assert note.endswith("infinite ones and those that are no numbers (3) are shown black or white")


@pytest.mark.parametrize("depth", [np.uint8, np.uint16])
def test_portable_maps_are_those_of_another_reader(depth: type) -> None:
    values = drawn(np.dtype(depth).str[1:], 3)
    data = cv2.imencode(".ppm", values)[1].tobytes()
    other = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]
    picture = read_picture(data, "f")
    assert np.abs(np.asarray(picture.image).astype(int) - other).max() <= 1
    deep = ("f: of the more than 8 bits of each colour the upper 8 were taken",)
    assert picture.notes == (deep if depth is np.uint16 else ())


@pytest.mark.parametrize(
    "data", [b"P5 2 1 100\n\x32\xc8", b"P5 2 1\n#\n1000\n\x03\xe8\x03\xe9", b"P6 1 1 9\n\1\2\x0a"]
)
def test_values_beyond_those_that_a_portable_map_states_are_refused(data: bytes) -> None:
    assert "the largest that its head states; save it again" in refusal(data)


def chunk(kind: bytes, data: bytes, wrong: int = 0) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) ^ wrong)


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


ROWS = b"".join(b"\0" + bytes(range(row * 4, row * 4 + 4)) for row in range(4))
PACKED = zlib.compress(ROWS)
END = chunk(b"IEND", b"")
PALETTE = chunk(b"PLTE", bytes(range(48)))


def head(colours: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, colours, 0, 0, 0))


def test_a_sound_png_keeps_its_bytes_also_with_text_and_several_chunks_of_pixels() -> None:
    text = chunk(b"tEXt", b"a\0b")
    data = png(head(), text, chunk(b"IDAT", PACKED[:9]), chunk(b"IDAT", PACKED[9:]), text, END)
    assert (read_picture(data, "f").suffix, read_picture(data, "f").notes) == (".png", ())


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (png(head(), chunk(b"IDAT", PACKED, 1), END), "wrong checksum of IDAT at byte 33"),
        (png(head(), chunk(b"IDAT", PACKED), chunk(b"tEXt", b"a\0b", 1), END), "wrong checksum of tEXt at byte 7"),
        (png(head(), chunk(b"IDAT", PACKED)), "its end is missing"),
        (png(head(), chunk(b"IDAT", PACKED), END[:5]), "its end is missing"),
    ],
)
def test_a_png_whose_pixels_are_whole_is_stored_anew(data: bytes, note: str) -> None:
    picture = read_picture(data, "f")
    assert picture.suffix == ""
    assert picture.notes[0].startswith(f"f: {note}")
    assert picture.notes[0].endswith(", which browsers may not show: stored as a new PNG")
    assert np.asarray(picture.image).tobytes() == bytes(range(16))
    assert read_picture(as_png(picture), "f").suffix == ".png"


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (png(head(), chunk(b"IDAT", PACKED[:-1] + b"\0", 1), END), "wrong checksum of IDAT at byte 33"),
        (png(head(), chunk(b"IDAT", b"\0" + PACKED[1:], 1), END), "damaged"),
        (png(head(), chunk(b"IDAT", zlib.compress(bytes(10**7)), 1), END), "wrong checksum of IDAT"),
        (png(head(), chunk(b"IDAT", PACKED), head(), END), "chunks out of order"),
        (png(head(3), chunk(b"IDAT", PACKED), PALETTE, END), "chunks out of order"),
        (png(head(3), chunk(b"IDAT", PACKED), END), "chunks out of order"),
        (png(head(3), chunk(b"tRNS", b"\0"), PALETTE, chunk(b"IDAT", PACKED), END), "chunks out of order"),
        (
            png(head(), chunk(b"IDAT", PACKED[:9]), chunk(b"tEXt", b"a\0b"), chunk(b"IDAT", PACKED[9:]), END),
            "chunks out of order",
        ),
        (
            png(head(), chunk(b"CgBI", b"\0\0\0\0"), chunk(b"IDAT", PACKED), END),
            "a chunk 'CgBI' that no browser knows",
        ),
    ],
)
def test_a_png_that_browsers_would_show_otherwise_is_refused(data: bytes, cause: str) -> None:
    message = refusal(data)
    assert "the image is damaged" in message
    assert cause in message


def photograph(**options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(drawn("u1", 3)).save(out, "JPEG", **options)
    return out.getvalue()


def test_a_jpeg_that_browsers_show_keeps_its_bytes_and_arithmetic_coding_is_stored_anew() -> None:
    data = photograph()
    assert read_picture(data, "f").suffix == read_picture(photograph(progressive=True), "f").suffix == ".jpg"
    # The decoder reads whatever the frame's marker says; browsers stop at it.
    coded = read_picture(data.replace(b"\xff\xc0", b"\xff\xc9", 1), "f")
    assert coded.suffix == ""
    assert coded.notes == ("f: arithmetic coding, which browsers may not show: stored as a new PNG",)


@pytest.mark.parametrize(
    ("marker", "bits", "described"),
    [
        (0xC1, 12, "12 bits a sample"),
        (0xC3, 8, "lossless coding"),
        (0xC5, 8, "hierarchical coding"),
        (0xF7, 16, "JPEG-LS, 16 bits a sample"),
    ],
)
def test_a_jpeg_of_another_kind_is_called_unsupported_not_damaged(marker: int, bits: int, described: str) -> None:
    data = bytearray(photograph())
    at = data.index(b"\xff\xc0")
    data[at + 1], data[at + 4] = marker, bits
    data[2:2] = b"\xff"  # A fill byte before a marker is allowed.
    assert f"a JPEG of this kind is not read ({described})" in refusal(bytes(data))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\0\0\1\0\1\0" + bytes(20), "an icon"),
        (b"\0\0\0\x1cftypavis", "AVIF"),
        (b"\0\0\0\x1cftypheix", "HEIC"),
        (b"\xff\x4f\xff\x51\0", "JPEG 2000"),
        (b"\xff\x0a\0", "JPEG XL"),
        (bytes(128) + b"DICM", "DICOM"),
        (b"P7\nWIDTH 2\n", "PAM"),
    ],
)
def test_other_formats_are_named(data: bytes, kind: str) -> None:
    assert f"is no image that can be read ({kind})" in refusal(data)


def test_a_bitmap_of_an_odd_layout_is_called_unsupported() -> None:
    body = struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 16, 3, 8, 0, 0, 0, 0) + struct.pack("<III", 0xF00, 0xF0, 0xF)
    data = b"BM" + struct.pack("<IHHI", 14 + len(body) + 8, 0, 0, 14 + len(body)) + body + bytes(8)
    assert re.search(r"a BMP of this kind is not read \(Unsupported BMP", refusal(data))


def test_what_an_earlier_version_stored_wrongly_is_stored_again(tmp_path: Path) -> None:
    values = drawn("u2", 3)
    data = tiff(values, 2, apart=True)
    stored = store_bytes(data, "f.tif", tmp_path, "f")
    right = (tmp_path / stored.path).read_bytes()
    (tmp_path / stored.path).write_bytes(
        as_png(read_picture(as_png_of(255 - (values >> 8).astype(np.uint8)), "f"))
    )
    assert store_bytes(data, "f.tif", tmp_path, "f").path == stored.path
    assert (tmp_path / stored.path).read_bytes() == right
    # What is right stays as it is, however it was packed.
    other = io.BytesIO()
    Image.open(tmp_path / stored.path).save(other, "PNG", compress_level=1)
    (tmp_path / stored.path).write_bytes(other.getvalue())
    store_bytes(data, "f.tif", tmp_path, "f")
    assert (tmp_path / stored.path).read_bytes() == other.getvalue() != right


def as_png_of(values: NDArray[np.uint8]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(values).save(out, "PNG")
    return out.getvalue()


def test_a_stored_png_with_a_wrong_checksum_is_stored_again(tmp_path: Path) -> None:
    data = png(head(), chunk(b"IDAT", PACKED, 1), END)
    stored = store_bytes(data, "f.png", tmp_path, "f")
    (tmp_path / stored.path).write_bytes(data)
    assert store_bytes(data, "f.png", tmp_path, "f").sha256 == stored.sha256
    assert (tmp_path / stored.path).read_bytes() != data
