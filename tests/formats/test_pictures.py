from __future__ import annotations

import io
import os
import re
import socket
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps

from panelwise.domain.errors import FormatError
from panelwise.images.decode import Picture, picture_size, read_bytes, read_picture
from panelwise.settings.file_tables import ImageLimits

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*chunks: bytes, pixels: bytes = b"") -> bytes:
    """A PNG of the chunks given, with rows of pixels as they are packed."""
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def read(data: bytes, **limits: int) -> Picture:
    return read_picture(data, "f.png", ImageLimits(**limits))


def pixel(picture: Picture, place: tuple[int, int] = (0, 0)) -> tuple[int, ...]:
    value = picture.image.convert("RGB").getpixel(place)
    assert isinstance(value, tuple)
    return value


def corners() -> Image.Image:
    """6 x 4 blocks of 8 pixels, red at the top left, green at the top right, blue at the bottom left."""
    image = Image.new("RGB", (48, 32), "white")
    for place, color in (((0, 0), RED), ((40, 0), GREEN), ((0, 24), BLUE)):
        image.paste(color, (*place, place[0] + 8, place[1] + 8))
    return image


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_turned_upright(kind: str, orientation: int, tmp_path: Path) -> None:
    # What a camera held that way would have stored: the opposite turn.
    exif = Image.Exif()
    exif[0x0112] = {6: 8, 8: 6}.get(orientation, orientation)
    plain = corners()
    plain.info["exif"] = exif.tobytes()
    held = ImageOps.exif_transpose(plain)
    exif[0x0112] = orientation
    options: dict[str, Any] = {"tiffinfo": {0x0112: orientation}} if kind == "TIFF" else {"exif": exif.tobytes()}
    data = saved(held, kind, **options, **({"lossless": True} if kind == "WEBP" else {}))
    picture = read(data)
    assert picture.image.size == (48, 32)
    for place, color in (((4, 4), RED), ((44, 4), GREEN), ((4, 28), BLUE)):
        assert np.abs(np.subtract(pixel(picture, place), color)).max() < 30
    assert (picture.suffix == "") == (orientation != 1 or kind == "TIFF")
    (tmp_path / "file").write_bytes(data)
    assert picture_size(tmp_path / "file") == (48, 32)


@pytest.mark.parametrize("exif", [b"Exif\0\0broken", b"II*\0", b"Exif\0\0II*\0\xff\xff\xff\xff"])
def test_broken_exif_beside_a_whole_image_does_no_harm(exif: bytes) -> None:
    assert read(saved(corners(), "JPEG", exif=exif)).image.size == (48, 32)


MODES = ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I;16", "I;16B", "I", "F"]


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_ends_as_one_that_browsers_show(mode: str) -> None:
    picture = read(saved(Image.new(mode, (7, 5)), "TIFF"))
    assert picture.image.mode in ("1", "L", "P", "RGB")
    assert picture.image.size == (7, 5)
    assert picture.suffix == ""


@pytest.mark.parametrize("mode", ["PA", "La", "RGBa", "HSV", "RGBX"])
def test_modes_that_no_file_has_but_a_reader_may_give_are_handled(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = saved(Image.new("RGB", (2, 2), "white"))
    odd = Image.new(mode, (2, 2))
    odd.format = "PNG"
    monkeypatch.setattr(Image, "open", lambda *_, **__: odd)
    assert read(data).image.mode in ("L", "RGB")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_what_browsers_show_as_it_is_keeps_its_bytes(kind: str) -> None:
    assert read(saved(corners(), kind)).suffix == {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}[kind]
    assert read(saved(corners().convert("L"), kind)).suffix != ""


def test_an_opaque_alpha_channel_is_no_transparency() -> None:
    assert read(saved(Image.new("RGBA", (2, 2), (*RED, 255)))).suffix == ".png"


@pytest.mark.parametrize(
    ("image", "options", "expected"),
    [
        (Image.new("RGBA", (2, 2), (0, 0, 0, 0)), {}, WHITE),
        (Image.new("RGBA", (2, 2), (255, 0, 0, 128)), {}, (255, 127, 127)),
        (Image.new("LA", (2, 2), (0, 0)), {}, WHITE),
        (Image.new("L", (2, 2), 9), {"transparency": 9}, WHITE),
        (Image.new("RGB", (2, 2), RED), {"transparency": RED}, WHITE),
        (Image.new("P", (2, 2), 0), {"transparency": 0}, WHITE),
        (Image.new("1", (2, 2), 0), {"transparency": 0}, WHITE),
    ],
)
def test_what_is_transparent_is_white(
    image: Image.Image, options: dict[str, Any], expected: tuple[int, ...]
) -> None:
    picture = read(saved(image, "PNG", **options))
    assert (pixel(picture), picture.suffix) == (expected, "")
    assert not picture.notes


def test_a_transparent_gif_is_white_there() -> None:
    assert pixel(read(saved(Image.new("P", (2, 2), 0), "GIF", transparency=0))) == WHITE


@given(
    low=st.integers(0, 65000),
    reach=st.integers(0, 535),
    kind=st.sampled_from(["PNG", "TIFF"]),
)
def test_deep_greys_are_spread_from_black_to_white_and_told(low: int, reach: int, kind: str) -> None:
    values = np.array([[low, low + reach], [low + reach // 2, low]], np.uint16)
    picture = read(saved(Image.fromarray(values), kind))
    shown = np.asarray(picture.image)
    assert shown.dtype == np.uint8
    assert shown[0, 0] == 0
    assert shown[0, 1] == (255 if reach else 0)
    assert abs(int(shown[1, 0]) - 255 * (reach // 2) / max(reach, 1)) <= 1
    spread = f"16-bit grey values {low:g} to {low + reach:g} were spread over 0 to 255"
    flat = f"its 16-bit grey values are all {low:g}: shown as one plain grey"
    assert picture.notes == (f"f.png: {spread if reach else flat}",)


def test_floats_beyond_all_bounds_are_shown() -> None:
    values = np.array([[np.nan, -np.inf, np.inf, -3e38, 3e38, 0]], np.float32)
    picture = read(saved(Image.fromarray(values), "TIFF"))
    assert np.asarray(picture.image).tolist() == [[0, 0, 255, 0, 255, 128]]
    assert "floating-point" in picture.notes[0]
    assert pixel(read(saved(Image.fromarray(np.full((1, 2), np.nan, np.float32)), "TIFF"))) == (0, 0, 0)


def test_values_whose_zero_is_white_are_turned_round() -> None:
    values = np.array([[0, 4095]], np.uint16)
    picture = read(saved(Image.fromarray(values), "TIFF", tiffinfo={262: 0}))
    assert np.asarray(picture.image).tolist() == [[255, 0]]


def test_print_colours_are_shown_as_colours() -> None:
    # Adobe writes CMYK JPEGs inverted, and so does Pillow; what is read is the paper's white and a full cyan.
    for color, expected in (((0, 0, 0, 0), WHITE), ((255, 0, 0, 0), (0, 255, 255)), ((0, 0, 0, 255), (0, 0, 0))):
        picture = read(saved(Image.new("CMYK", (16, 16), color), "JPEG", quality=95))
        assert np.abs(np.subtract(pixel(picture), expected)).max() < 8
        assert picture.suffix == ""


def test_a_print_profile_that_cannot_be_read_is_passed_over() -> None:
    profile = b"\0" * 16 + b"CMYK" + b"\0" * 200
    picture = read(saved(Image.new("CMYK", (4, 4), (0, 0, 0, 0)), "TIFF", icc_profile=profile))
    assert pixel(picture) == WHITE
    assert "icc_profile" not in picture.image.info


def test_a_colour_profile_goes_along_where_it_fits() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for mode, kept in (("RGB", True), ("L", False)):
        picture = read(saved(Image.new(mode, (4, 4)), "TIFF", icc_profile=profile))
        assert ("icc_profile" in picture.image.info) is kept


@pytest.mark.parametrize(
    ("kind", "what"), [("GIF", "frames"), ("WEBP", "frames"), ("PNG", "frames"), ("TIFF", "pages")]
)
def test_of_several_frames_the_first_is_taken_and_told(kind: str, what: str) -> None:
    frames = [Image.new("RGB", (9, 9), color) for color in ("red", "blue", "lime")]
    options = {"lossless": True} if kind == "WEBP" else {}
    picture = read(saved(frames[0], kind, save_all=True, append_images=frames[1:], **options))
    assert pixel(picture) == RED
    assert picture.suffix == ""
    assert picture.notes == (f"f.png: has 3 {what}; the first was taken, give others as figures of their own",)


def test_previews_behind_a_photograph_are_no_frames() -> None:
    picture = read(saved(corners(), "MPO", save_all=True, append_images=[corners()]))
    assert (picture.suffix, picture.notes) == (".jpg", ())


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"max_pixels": 1535}, "has 48 x 32 pixels, more than 1,535 pixels; scale it down, or raise max_pixels"),
        ({"max_side": 47}, "more than 47 pixels along a side; scale it down, or raise max_side"),
    ],
)
def test_a_limit_is_named_with_where_it_is_set(limits: dict[str, int], told: str) -> None:
    with pytest.raises(FormatError, match=told) as error:
        read(saved(corners()), **limits)
    assert "under [images] in campaign.toml" in str(error.value)
    assert read(saved(corners()), max_pixels=1536, max_side=48).image.size == (48, 32)


def test_a_bomb_is_refused_before_it_is_decoded() -> None:
    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    with pytest.raises(FormatError, match=r"more than 100,000,000 pixels"):
        read(png(chunk(b"IHDR", head)))


def test_a_canvas_beyond_what_webp_can_be_is_refused_with_the_limit() -> None:
    canvas = b"VP8X" + struct.pack("<I", 10) + b"\2\0\0\0" + b"\xff\xff\0" * 2
    with pytest.raises(FormatError, match=r"has 65,536 x 65,536 pixels, more than 100,000,000 pixels.*max_pixels"):
        read(b"RIFF" + struct.pack("<I", len(canvas) + 4) + b"WEBP" + canvas)


def test_a_jpeg_of_endless_passes_is_refused() -> None:
    data = saved(Image.new("L", (64, 64)), "JPEG", progressive=True)
    scan = data[data.rindex(b"\xff\xda") : -2]
    assert read(data[:-2] + scan * 20 + data[-2:]).image.size == (64, 64)
    with pytest.raises(FormatError, match=r"more than 1,000 scans; save it again"):
        read(data[:-2] + scan * 1000 + data[-2:])


@pytest.mark.parametrize("kind", [b"zTXt", b"iCCP"])
def test_text_and_profiles_that_unpack_to_too_much_are_told(kind: bytes) -> None:
    bomb = chunk(kind, b"k\0\0" + zlib.compress(bytes(2_000_000)))
    with pytest.raises(
        FormatError, match=r"holds more text or a larger colour profile .*1 MiB.*; save it without"
    ):
        read(png(chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), bomb, pixels=b"\0\0"))


@pytest.mark.parametrize(
    ("depth", "colours", "clear", "pixels"),
    [
        (2, 0, b"\0\1", b"\0\x10"),
        (4, 0, b"\0\x0f", b"\0\xf0"),
        (8, 0, b"\0\x40", b"\0\x40\0"),
        (16, 0, b"\x40\1", b"\0\x40\1\xff\xff"),
        (16, 2, b"\x40\1" * 3, b"\0" + b"\x40\1" * 3 + bytes(6)),
    ],
)
def test_a_transparent_colour_is_white_whatever_the_bits(
    depth: int, colours: int, clear: bytes, pixels: bytes
) -> None:
    # Two pixels: the transparent colour, and what is shown black: the only value left, or 0.
    if depth < 8:
        pixels = pixels[:1] + bytes([int.from_bytes(clear) << (8 - depth)])
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, depth, colours, 0, 0, 0))
    picture = read(png(head, chunk(b"tRNS", clear), pixels=pixels))
    assert (pixel(picture), pixel(picture, (1, 0))) == (WHITE, (0, 0, 0))
    assert picture.suffix == ""


def test_pages_are_counted_so_far_as_takes_no_time() -> None:
    # Each page takes longer to find than the last: a small file would take hours.
    tags = ((256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 1), (278, 3, 1), (279, 4, 1))
    page = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, kind, 1, n) for tag, kind, n in tags)
    step = len(page) + 4
    data = b"II*\0" + struct.pack("<I", 8)
    data += b"".join(page + struct.pack("<I", 8 + step * at) for at in range(1, 1200)) + page + bytes(4)
    assert read(data).notes == (
        "f.png: has more than 1,000 pages; the first was taken, give others as figures of their own",
    )


def test_16_bits_are_said_to_be_16() -> None:
    assert read(b"P5 2 1 65535\n\0\x10\x80\0").notes[0].startswith("f.png: 16-bit grey values 16 to 32768 were")
    deep = png(chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 16, 6, 0, 0, 0)), pixels=bytes(9))
    assert read(deep).notes == ("f.png: of the more than 8 bits of each colour the upper 8 were taken",)
    whole = png(chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 16, 2, 0, 0, 0)), pixels=bytes(7))
    assert (read(whole).suffix, read(whole).notes) == (".png", ())


def test_pillows_own_limit_is_left_as_it_was() -> None:
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(FormatError):
        read(b"")
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is no image, the file is empty; get a whole copy"),
        (b"%PDF-1.7", "is no image that can be read (PDF); give PNG"),
        (b"\0\0\0\x18ftypheic", "(HEIC); give PNG"),
        (b"\x1f\x8b\x08", "(packed with gzip); give PNG"),
        (b"version https://git-lfs.github.com/spec/v1", "(a pointer of Git LFS, not the file itself); give PNG"),
        (b"\xef\xbb\xbf\n<!DOCTYPE HTML>", "(a web page); give PNG"),
        (b"<?xml version='1.0'?><svg/>", "(SVG); give PNG"),
        (
            saved(Image.new("L", (9, 9)), "TIFF", compression="tiff_lzw")[:30],
            "the image is damaged (a TIFF cut off?)",
        ),
    ],
)
def test_a_file_that_is_something_else_is_called_what_it_is(data: bytes, told: str) -> None:
    with pytest.raises(FormatError, match=re.escape(told)):
        read(data)


def test_a_damaged_tiff_says_nothing_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FormatError, match="the image is damaged"):
        read(saved(Image.new("L", (9, 9)), "TIFF", compression="tiff_lzw")[:-9])
    os.write(2, b"heard again")
    assert capfd.readouterr().err == "heard again"


@pytest.mark.parametrize("data", [b"", b"%!PS-Adobe", b"<svg/>", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\0" * 500])
def test_what_is_no_image_is_told(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^f\.png: (is no image|the image is damaged|is an image of)"):
        read(data)


def test_a_file_beyond_the_limit_of_bytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x" * 11)
    assert read_bytes(tmp_path / "a.png", ImageLimits(max_bytes=11)) == b"x" * 11
    with pytest.raises(FormatError, match=r"more than 10 bytes.*max_bytes under"):
        read_bytes(tmp_path / "a.png", ImageLimits(max_bytes=10))


def test_pipes_devices_and_folders_are_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as door:
        monkeypatch.chdir(tmp_path)
        door.bind("door")
        for name in ("pipe", "link", "door", "/dev/zero", ".", "/dev"):
            with pytest.raises(FormatError, match=r"no ordinary file|is a directory"):
                read_bytes(tmp_path / name)


def test_a_missing_file_and_a_name_that_none_can_bear_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such image"):
        read_bytes(tmp_path / "no.png")
    for name in ("a\0.png", "\ud800.png"):
        with pytest.raises(FormatError, match="is no file name") as error:
            read_bytes(tmp_path / name)
        assert str(error.value).isprintable()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FormatError, match="no such image"):
        read_bytes(tmp_path / "file" / "a.png")
    with pytest.raises(FormatError, match="File name too long; correct the record's image"):
        read_bytes(tmp_path / ("x" * 300))


def test_a_name_of_two_lines_is_told_in_one(tmp_path: Path) -> None:
    (tmp_path / "a\nb\x1b[2J.png").write_bytes(b"no image")
    for name in ("a\nb\x1b[2J.png", "c\nd.png"):
        with pytest.raises(FormatError) as error:
            picture_size(tmp_path / name)
        assert str(error.value).isprintable()


NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (90, 120, 3), dtype=np.uint8))


@pytest.mark.parametrize("left", [0.3, 0.6, 0.95])
@pytest.mark.parametrize(
    ("mode", "options"),
    [("RGB", {}), ("L", {}), ("CMYK", {}), ("RGB", {"progressive": True}), ("RGB", {"restart_marker_rows": 1})],
)
def test_a_jpeg_cut_short_is_refused_though_an_end_was_put_behind(
    mode: str, options: dict[str, Any], left: float
) -> None:
    whole = saved(NOISE.convert(mode), "JPEG", quality=90, **options)
    assert read(whole).notes == ()
    with pytest.raises(FormatError, match=r"data end before its last row\); get a whole copy|damaged"):
        read(whole[: int(len(whole) * left)] + b"\xff\xd9")


def test_a_jpeg_that_ends_in_the_grey_that_decoders_fill_with_is_whole() -> None:
    for image in (Image.new("RGB", (40, 30), (128, 128, 128)), Image.new("L", (40, 30), 128)):
        assert read(saved(image, "JPEG")).suffix == ".jpg"


def test_a_progressive_jpeg_without_its_last_scans_is_named() -> None:
    whole = saved(NOISE, "JPEG", progressive=True)
    scans = [match.start() for match in re.finditer(b"\xff\xda", whole)]
    found = read(whole[: scans[-1]] + b"\xff\xd9")
    assert found.suffix == ""
    assert "without its last scans" in found.notes[0]


@pytest.mark.parametrize("interlace", [0, 1])
def test_a_png_whose_packed_rows_end_early_is_refused(interlace: int) -> None:
    side = 160
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, interlace))
    passes = [(8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2)] if interlace else [(1, 1)]
    size = sum((side // down) * (1 + 3 * side // across) for across, down in passes)
    # Plain rows without a filter, of a grey that is not what decoders fill with.
    rows = b"".join(b"\0" + b"\x55" * (3 * side // a) for a, down in passes for _ in range(side // down))
    assert len(rows) == size
    assert read(png(head, pixels=rows)).suffix == ".png"
    assert read(png(head, pixels=rows + bytes(9))).suffix == ".png"
    with pytest.raises(FormatError, match="the image is damaged"):
        read(png(head, pixels=rows[: size // 2]))
