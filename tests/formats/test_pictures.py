from __future__ import annotations

import io
import os
import socket
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps

from annotator.domain.errors import FormatError
from annotator.formats.campaign_toml import ImageLimits
from annotator.formats.pictures import Picture, picture_size, read_bytes, read_picture

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


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
    assert picture.notes == (f"f.png: 16-bit grey values {low:g} to {low + reach:g} were spread over 0 to 255",)


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
    def chunk(kind: bytes, data: bytes) -> bytes:
        import zlib

        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    with pytest.raises(FormatError, match=r"more than 100,000,000 pixels"):
        read(bomb)


def test_pillows_own_limit_is_left_as_it_was() -> None:
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(FormatError):
        read(b"")
    assert before == Image.MAX_IMAGE_PIXELS


@given(st.data())
def test_damage_is_one_line_or_does_no_harm(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(WHOLE))
    cut = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 6))):
        if cut:
            cut[data.draw(st.integers(0, len(cut) - 1))] = data.draw(st.integers(0, 255))
    told = None
    try:
        picture = read(bytes(cut), max_pixels=4_000_000)
    except FormatError as error:
        told = str(error)
    if told is None:
        assert picture.image.mode in ("1", "L", "P", "RGB")
    else:
        assert told.startswith("f.png: ")
        assert "\n" not in told


def _whole() -> list[bytes]:
    frames = [corners(), corners().transpose(Image.Transpose.ROTATE_180)]
    plain = [saved(corners(), kind) for kind in ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "PPM")]
    many = [
        saved(frames[0], kind, save_all=True, append_images=frames[1:]) for kind in ("GIF", "TIFF", "PNG", "WEBP")
    ]
    return [*plain, *many, saved(corners().convert("CMYK"), "JPEG")]


WHOLE = _whole()


@pytest.mark.parametrize("data", [b"", b"%!PS-Adobe", b"<svg/>", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\0" * 500])
def test_what_is_no_image_is_told(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^f\.png: (is no image|the image is damaged|is an image of)"):
        read(data)


def test_a_file_beyond_the_limit_of_bytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x" * 11)
    assert read_bytes(tmp_path / "a.png", ImageLimits(max_bytes=11)) == b"x" * 11
    with pytest.raises(FormatError, match=r"more than 10 bytes.*max_bytes under"):
        read_bytes(tmp_path / "a.png", ImageLimits(max_bytes=10))


def test_pipes_devices_and_folders_are_never_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as door:
        os.chdir(tmp_path)
        door.bind("door")
        for name in ("pipe", "link", "door", "/dev/zero", ".", "/dev"):
            with pytest.raises(FormatError, match=r"no ordinary file|is a directory"):
                read_bytes(tmp_path / name)


def test_a_missing_file_and_a_name_that_none_can_bear_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such image"):
        read_bytes(tmp_path / "no.png")
    with pytest.raises(FormatError, match="is no file name"):
        read_bytes(tmp_path / "a\0.png")
