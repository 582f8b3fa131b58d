from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import a_figure
from PIL import Image

from annotator.campaign.home import Home
from annotator.imports.thumbnails import SIDE, thumbnail
from panelwise.domain.errors import AnnotatorError

FIGURE = a_figure(image="images/f.png")


def put(home: Home, image: Image.Image) -> None:
    image.save(home.images / "f.png")


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    assert image.format == "JPEG"
    return image


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_mode_has_a_small_jpeg(home: Home, mode: str) -> None:
    put(home, Image.new(mode, (900, 300)))
    assert opened(thumbnail(home, FIGURE)).size == (SIDE, SIDE // 3)


@pytest.mark.parametrize(("size", "expected"), [((30, 20), (30, 20)), ((9000, 3), (SIDE, 1)), ((1, 1), (1, 1))])
def test_no_thumbnail_is_larger_than_its_image(
    home: Home, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    put(home, Image.new("RGB", size))
    assert opened(thumbnail(home, FIGURE)).size == expected


def test_a_thumbnail_is_made_once_and_again_when_its_image_changes(home: Home) -> None:
    put(home, Image.new("RGB", (400, 400), "white"))
    first = thumbnail(home, FIGURE)
    (kept,) = (home.path / "thumbnails").iterdir()
    kept.write_bytes(b"kept")
    stamp = (home.images / "f.png").stat().st_mtime_ns
    os.utime(kept, ns=(stamp, stamp))
    assert thumbnail(home, FIGURE) == b"kept"
    put(home, Image.new("RGB", (400, 400), "black"))
    # An older file put in its place is a change too.
    os.utime(home.images / "f.png", ns=(5, 5))
    assert opened(thumbnail(home, FIGURE)).getpixel((0, 0)) == (0, 0, 0)
    assert first != thumbnail(home, FIGURE)


@pytest.mark.slow
def test_many_may_ask_at_once(home: Home) -> None:
    put(home, Image.new("RGB", (1200, 800), "red"))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: thumbnail(home, FIGURE), range(16)))
    assert len(found) == 1
    assert [file.suffix for file in (home.path / "thumbnails").iterdir()] == [".jpg"]


def test_a_home_that_takes_no_thumbnail_shows_it_all_the_same(home: Home) -> None:
    put(home, Image.new("RGB", (400, 400), "white"))
    (home.path / "thumbnails").write_bytes(b"a file where the folder would be")
    assert opened(thumbnail(home, FIGURE)).size == (SIDE, SIDE)


@pytest.mark.parametrize("content", [b"", b"no image", None])
def test_what_cannot_be_shown_is_told(home: Home, content: bytes | None) -> None:
    if content is not None:
        (home.images / "f.png").write_bytes(content)
    with pytest.raises(AnnotatorError, match=r"f\.png"):
        thumbnail(home, FIGURE)


def test_a_figure_without_an_image_has_no_thumbnail(home: Home) -> None:
    with pytest.raises(AnnotatorError, match="has no stored image"):
        thumbnail(home, a_figure(image=""))
