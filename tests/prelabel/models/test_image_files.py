from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from detector_cases import an_image
from PIL import Image

from panelwise.domain.errors import FormatError
from panelwise.files.image_bytes import MAX_SCANS
from panelwise.images.decode import read_bytes, read_picture
from panelwise.settings.file_tables import ImageLimits
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, Sizing, prepare, read_prepared


class Small:
    """The first step of a detector; there is no second."""

    batch = 4
    sizing = Sizing(64, 128, 32)

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        return prepare(image, self.sizing, size=size)

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        raise AssertionError(items)


def blue(path: Path, value: int, size: tuple[int, int] = (120, 90)) -> Path:
    Image.new("RGB", size, (10, 10, value)).save(path)
    return path


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_a_file_looks_to_a_detector_as_it_does_to_annotators(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    image = an_image(1, (150, 110))
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257)
    else:
        image = image.convert(mode)
    if mode in ("LA", "RGBA"):
        image.putalpha(Image.linear_gradient("L").resize(image.size))
    image.save(path)
    detector = Small()
    expected = detector.prepare(read_picture(read_bytes(path), path).image)
    made = read_prepared(path, detector)
    assert (made.size, made.canvas) == (expected.size, expected.canvas)
    assert np.array_equal(made.pixels, expected.pixels)


@pytest.mark.parametrize("kind", ["png", "jpg"])
@pytest.mark.parametrize("orientation", [3, 6])
def test_a_turned_photograph_is_read_upright(tmp_path: Path, kind: str, orientation: int) -> None:
    path, exif = tmp_path / f"a.{kind}", Image.Exif()
    exif[0x0112] = orientation
    an_image(2, (300, 200)).save(path, exif=exif)
    detector = Small()
    made = read_prepared(path, detector)
    assert made.size == ((200, 300) if orientation == 6 else (300, 200))
    assert np.array_equal(made.pixels, detector.prepare(read_picture(read_bytes(path), path).image).pixels)


def test_a_large_jpeg_is_decoded_smaller_but_boxes_are_in_its_own_pixels(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    an_image(3, (1600, 1200)).save(path, quality=95)
    detector = Small()
    made = read_prepared(path, detector)
    whole = detector.prepare(read_picture(read_bytes(path), path).image)
    assert (made.size, made.scaled) == (whole.size, whole.scaled) == ((1600, 1200), (85, 64))
    difference = np.abs(made.pixels.astype(int) - whole.pixels)
    assert difference.mean() < 3
    assert not np.array_equal(made.pixels, whole.pixels)


def test_limits_on_images_hold(tmp_path: Path) -> None:
    path = blue(tmp_path / "a.png", 1, (300, 200))
    with pytest.raises(FormatError, match="more than 50,000 pixels"):
        read_prepared(path, Small(), ImageLimits(max_pixels=50_000))
    with pytest.raises(FormatError, match="more than 250 pixels along a side"):
        read_prepared(path, Small(), ImageLimits(max_side=250))


def test_a_jpeg_of_endless_scans_is_refused_here_as_well(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    an_image(4, (300, 200)).save(path)
    path.write_bytes(path.read_bytes() + b"\xff\xda" * (MAX_SCANS + 1))
    with pytest.raises(FormatError, match="scans; save it again"):
        read_prepared(path, Small())


@pytest.mark.parametrize("kind", ["png", "jpg"])
def test_a_damaged_file_is_told_as_it_is_to_annotators(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    an_image(5, (300, 200)).save(path)
    whole = path.read_bytes()
    for end in (len(whole) // 2, 40, 10):
        path.write_bytes(whole[:end])
        with pytest.raises(FormatError) as told:
            read_picture(read_bytes(path), path)
        with pytest.raises(FormatError) as ours:
            read_prepared(path, Small())
        assert str(ours.value) == str(told.value)


def test_a_png_with_a_wrong_checksum_is_read_as_for_annotators_and_one_out_of_order_refused(
    tmp_path: Path,
) -> None:
    path = blue(tmp_path / "a.png", 99)
    whole = path.read_bytes()
    at = whole.index(b"IDAT") + 4 + int.from_bytes(whole[whole.index(b"IDAT") - 4 : whole.index(b"IDAT")], "big")
    path.write_bytes(whole[:at] + b"\0\0\0\0" + whole[at + 4 :])
    expected = Small().prepare(read_picture(whole, path).image)
    assert np.array_equal(read_prepared(path, Small()).pixels, expected.pixels)
    path.write_bytes(whole[:-12] + whole[8:33] + whole[-12:])
    with pytest.raises(FormatError, match="chunks out of order"):
        read_prepared(path, Small())
