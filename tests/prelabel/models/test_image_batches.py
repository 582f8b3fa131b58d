from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from detector_cases import a_detector, an_image
from PIL import Image

from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.campaign_toml import ImageLimits
from annotator.formats.pictures import read_bytes, read_picture
from prelabel.models.image_batches import Seen, detect_files, read_prepared
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, Sizing, prepare


class Blueness:
    """Stands in for a network: one box over the image, its score from its colour. Remembers its batches."""

    def __init__(self, batch: int = 4, shorter: int = 64) -> None:
        self.batch = batch
        self.sizing = Sizing(shorter, 2 * shorter, 32)
        self.batches: list[tuple[Shape, int]] = []
        self.threads: set[int] = set()

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        return prepare(image, self.sizing, size=size)

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        self.threads.add(threading.get_ident())
        assert len({item.canvas for item in items}) == 1
        self.batches.append((items[0].canvas, len(items)))
        for item in items:
            if (item.pixels == 0).all():
                raise ValueError("cannot see in the dark")
        return [Detections.of([[0, 0, *item.size]], [item.pixels[..., 2].mean() / 255], [1]) for item in items]


def blue(path: Path, value: int, size: tuple[int, int] = (120, 90)) -> Path:
    Image.new("RGB", size, (10, 10, value)).save(path)
    return path


def values(seen: Sequence[Seen[str]]) -> list[int]:
    return [round(255 * float(each.detections.scores[0])) for each in seen]


def test_files_are_told_in_their_order_whatever_their_shape(tmp_path: Path) -> None:
    sizes = [(120, 90), (90, 120), (200, 90)]
    files = [(str(n), blue(tmp_path / f"{n}.png", 5 * n, sizes[n % 3])) for n in range(30)]
    detector = Blueness()
    seen = list(detect_files(detector, files, workers=3))
    assert [each.key for each in seen] == [str(n) for n in range(30)]
    assert values(seen) == [5 * n for n in range(30)]
    assert [each.size for each in seen] == [sizes[n % 3] for n in range(30)]
    assert [each.detections.boxes.tolist() for each in seen] == [[[0, 0, *sizes[n % 3]]] for n in range(30)]
    assert max(count for _, count in detector.batches) == 4
    assert len(detector.batches) == 9


def test_a_corrupt_image_in_a_batch_is_named_and_skipped_and_the_batch_goes_on(tmp_path: Path) -> None:
    files = [(str(n), blue(tmp_path / f"{n}.png", 10 * n)) for n in range(6)]
    files[2][1].write_bytes(files[2][1].read_bytes()[:60])
    files[4][1].unlink()
    seen = list(detect_files(Blueness(), files))
    assert [each.key for each in seen] == list("012345")
    assert [bool(each.problem) for each in seen] == [False, False, True, False, True, False]
    assert seen[2].problem.startswith(f"{files[2][1]}: the image is damaged")
    assert f"{files[4][1]}: no such image" in seen[4].problem
    assert len(seen[2].detections) == 0
    assert values([each for each in seen if not each.problem]) == [0, 10, 30, 50]


def test_an_image_on_which_the_model_fails_costs_only_itself(tmp_path: Path) -> None:
    files = [(str(n), blue(tmp_path / f"{n}.png", 10 * n)) for n in range(1, 5)]
    Image.new("RGB", (120, 90)).save(files[1][1])
    seen = list(detect_files(Blueness(), files))
    assert [each.problem for each in seen] == [
        "",
        "the model failed on it (ValueError: cannot see in the dark)",
        "",
        "",
    ]


def test_a_user_error_of_the_model_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cramped(_items: Sequence[Prepared]) -> list[Detections]:
        raise AnnotatorError("out of memory with a batch of one")

    detector = Blueness()
    monkeypatch.setattr(detector, "predict", cramped)
    seen = list(detect_files(detector, [("a", blue(tmp_path / "a.png", 3))]))
    assert seen[0].problem == "the model failed on it (out of memory with a batch of one)"


def test_files_are_drawn_as_they_are_needed_and_the_rest_is_never_read(tmp_path: Path) -> None:
    path, drawn = blue(tmp_path / "a.png", 3), []

    def endless() -> Iterator[tuple[int, Path]]:
        for number in range(100_000):
            drawn.append(number)
            yield number, path

    seen = detect_files(Blueness(batch=2), endless(), workers=2)
    assert [next(seen).key for _ in range(5)] == [0, 1, 2, 3, 4]
    seen.close()
    assert len(drawn) < 40


def test_a_rare_shape_does_not_wait_for_ever(tmp_path: Path) -> None:
    files = [(str(n), blue(tmp_path / f"{n}.png", n, (90 + 2 * n, 90))) for n in range(40)]
    detector = Blueness(batch=2)
    detector.sizing = Sizing(64, 200, 1)
    seen = detect_files(detector, files, workers=1)
    assert next(seen).key == "0"
    assert len(detector.batches) < 12
    assert [each.key for each in seen] == [key for key, _ in files[1:]]
    assert len(detector.batches) == 40


def test_several_threads_predict_the_same(tmp_path: Path) -> None:
    files = [(str(n), blue(tmp_path / f"{n}.png", 5 * n)) for n in range(20)]
    one, two = Blueness(), Blueness()
    assert values(list(detect_files(one, files))) == values(list(detect_files(two, files, models=2)))
    assert len(one.threads) == 1


def test_no_file_gives_no_answer() -> None:
    assert list(detect_files(Blueness(), [])) == []


def test_what_is_found_in_files_is_what_is_found_in_their_images(tmp_path: Path) -> None:
    detector = a_detector()
    images = [an_image(seed, size) for seed, size in enumerate([(400, 300), (300, 400), (410, 300)] * 2)]
    for number, image in enumerate(images):
        image.save(tmp_path / f"{number}.png")
    seen = detect_files(detector, [(n, tmp_path / f"{n}.png") for n in range(len(images))])
    for each, found in zip(seen, detector.detect(images), strict=True):
        assert np.allclose(each.detections.boxes, found.boxes, atol=0.05)
        assert np.allclose(each.detections.scores, found.scores, atol=1e-3)


# ---- reading one file -----------------------------------------------------------------------------


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
    detector = Blueness()
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
    detector = Blueness()
    made = read_prepared(path, detector)
    assert made.size == ((200, 300) if orientation == 6 else (300, 200))
    assert np.array_equal(made.pixels, detector.prepare(read_picture(read_bytes(path), path).image).pixels)


def test_a_large_jpeg_is_decoded_smaller_but_boxes_are_in_its_own_pixels(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    an_image(3, (1600, 1200)).save(path, quality=95)
    detector = Blueness()
    made = read_prepared(path, detector)
    whole = detector.prepare(read_picture(read_bytes(path), path).image)
    assert (made.size, made.scaled) == (whole.size, whole.scaled) == ((1600, 1200), (85, 64))
    difference = np.abs(made.pixels.astype(int) - whole.pixels)
    assert difference.mean() < 3
    assert not np.array_equal(made.pixels, whole.pixels)


def test_limits_on_images_hold(tmp_path: Path) -> None:
    path = blue(tmp_path / "a.png", 1, (300, 200))
    with pytest.raises(FormatError, match="more than 50,000 pixels"):
        read_prepared(path, Blueness(), ImageLimits(max_pixels=50_000))
    with pytest.raises(FormatError, match="more than 250 pixels along a side"):
        read_prepared(path, Blueness(), ImageLimits(max_side=250))
