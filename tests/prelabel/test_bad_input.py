"""Whatever is handed in: an image of any kind and a caption of any kind give a sound prediction, or one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from builders import a_figure
from click.testing import CliRunner
from PIL import Image, ImageDraw

from annotator.cli.prelabel import group
from panelwise.domain.annotation import Prediction, check_subfigures
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.captions.parser import parse_caption
from prelabel.classic.prelabeller import CLASSIC
from prelabel.runs import opening
from prelabel.runs.predict import predict

CAPTION = "Lungs. (A) The left lung. (B) The right lung."


def drawn(mode: str = "RGB", size: tuple[int, int] = (400, 200)) -> Image.Image:
    """Two framed panels side by side."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    width, height = size
    for left in (0, width // 2 + 10):
        pen.rectangle((left + 5, 5, left + width // 2 - 20, height - 6), fill="navy", outline="black")
    return image.convert(mode)


def sound(prediction: Prediction) -> bool:
    """A box at least, all in the image and of some area; checked again, as the domain does."""
    check_subfigures(prediction.figure, prediction.subfigures)
    width, height = prediction.figure.width, prediction.figure.height
    for each in prediction.subfigures:
        box = each.box
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height
    return len(prediction.subfigures) > 0


def saved(image: Image.Image, path: Path, **options: object) -> Path:
    image.save(path, **options)
    return path


KINDS = {
    "grey": ("L", ".png"),
    "black and white": ("1", ".png"),
    "palette": ("P", ".png"),
    "transparent": ("RGBA", ".png"),
    "grey and transparent": ("LA", ".png"),
    "print colours": ("CMYK", ".jpg"),
    "luminance and chroma": ("YCbCr", ".jpg"),
    "lab": ("LAB", ".tiff"),
    "32-bit": ("I", ".tiff"),
    "floats": ("F", ".tiff"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_image_of_every_kind_gives_both_panels(kind: str, tmp_path: Path) -> None:
    mode, ending = KINDS[kind]
    path = saved(drawn("RGB").convert("L").convert(mode) if mode in "IF" else drawn(mode), tmp_path / f"f{ending}")
    found = predict(a_figure(width=400, height=200, caption=CAPTION), path)
    assert sound(found)
    assert [each.label for each in found.subfigures] == ["A", "B"]


def test_sixteen_bit_greys_give_both_panels(tmp_path: Path) -> None:
    deep = np.asarray(drawn("L"), dtype=np.uint16) * 200
    path = saved(Image.fromarray(deep), tmp_path / "deep.png")
    found = predict(a_figure(width=400, height=200, caption=CAPTION), path)
    assert sound(found)
    assert len(found.subfigures) == 2


def test_of_an_animation_the_first_frame_is_taken(tmp_path: Path) -> None:
    frames = [drawn("P"), Image.new("P", (400, 200), 3)]
    path = saved(frames[0], tmp_path / "f.gif", save_all=True, append_images=frames[1:])
    found = predict(a_figure(width=400, height=200, caption=CAPTION), path)
    assert sound(found)
    assert len(found.subfigures) == 2


@pytest.mark.parametrize("size", [(1, 1), (1, 900), (900, 1), (2, 2), (3, 7), (17, 16)])
@pytest.mark.parametrize("caption", ["", CAPTION, "(a-h) Mice."])
def test_tiny_images_give_a_box_in_them(size: tuple[int, int], caption: str, tmp_path: Path) -> None:
    path = saved(Image.new("RGB", size, "red"), tmp_path / "f.png")
    assert sound(predict(a_figure(width=size[0], height=size[1], caption=caption), path))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(7000, 6000), (30000, 40), (40, 30000)])
def test_huge_images_give_a_box_in_them(size: tuple[int, int], tmp_path: Path) -> None:
    path = saved(drawn("RGB", size) if min(size) > 100 else Image.new("RGB", size, "white"), tmp_path / "f.png")
    assert sound(predict(a_figure(width=size[0], height=size[1], caption=CAPTION), path))


@pytest.mark.parametrize("colour", ["white", "black", "#7f7f7f"])
@pytest.mark.parametrize("caption", ["", CAPTION])
def test_an_even_picture_gives_a_box_in_it(colour: str, caption: str) -> None:
    image = Image.new("RGB", (300, 200), colour)
    assert sound(CLASSIC.predict(a_figure(width=300, height=200, caption=caption), image))


def test_boxes_are_in_the_pixels_of_the_figure_whatever_the_image_has() -> None:
    figure = a_figure(width=1600, height=800, caption=CAPTION)
    found = CLASSIC.predict(figure, drawn())
    assert sound(found)
    assert max(each.box.x1 for each in found.subfigures) > 1500


def test_unreadable_images_are_named_in_one_line(tmp_path: Path) -> None:
    whole = saved(drawn(), tmp_path / "whole.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "empty.png").write_bytes(b"")
    for name in ("cut.png", "text.png", "empty.png", "missing.png"):
        with pytest.raises(FormatError, match=name) as told:
            predict(a_figure(width=400, height=200), tmp_path / name)
        assert "\n" not in str(told.value)


@pytest.mark.slow
def test_a_run_names_what_it_cannot_read_writes_the_rest_and_exits_1(tmp_path: Path) -> None:
    whole = saved(drawn(), tmp_path / "whole.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.jpg").write_text("no picture")
    names = ["whole.png", "cut.png", "text.jpg", "missing.png"]
    records = [
        {"figure_id": name, "image": name, "caption": CAPTION, "source": {"document": "x"}} for name in names
    ]
    (tmp_path / "figures.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    out = tmp_path / "out.jsonl"
    done = CliRunner().invoke(group, ["run", str(tmp_path / "figures.jsonl"), "--out", str(out)])
    assert done.exit_code == 1
    assert all(name in done.stderr for name in names[1:])
    assert "Traceback" not in done.output
    assert [json.loads(line)["figure_id"] for line in out.read_text("utf-8").splitlines()] == ["whole.png"]


class Broken:
    """A model with a fault on one figure."""

    version = "broken-1"

    def predict(self, figure, image):
        if figure.id == "bad":
            raise ZeroDivisionError("division by zero")
        return CLASSIC.predict(figure, image)


def test_a_fault_of_the_model_costs_one_figure_and_is_told(tmp_path: Path) -> None:
    from panelwise.files.jsonl import Problems
    from prelabel.runs.predict import predict_all

    path = saved(drawn(), tmp_path / "f.png")
    jobs = [(a_figure(name, width=400, height=200), path) for name in ("one", "bad", "two")]
    problems = Problems()
    found = list(predict_all(jobs, problems, model=Broken(), processes=1))
    assert [each.figure.id for each in found] == ["one", "two"]
    assert (
        "the model failed on it (ZeroDivisionError: division by zero, at test_bad_input.py:" in problems.lines[0]
    )


SIXTY = " ".join(
    f"({letter}{number}) Panel of the {number} mice." for letter in "ABCDEF" for number in range(1, 11)
)
CAPTIONS = {
    "empty": "",
    "blanks": " \n\t ",
    "one word": "Lungs",
    "one letter": "A",
    "one marker": "(A)",
    "punctuation": "().,;:[]{}–—" * 20,
    "open brackets": "(A Left lung. (B Right lung. [C The heart " * 30,
    "closed brackets": "A) Left] lung. B) Right) lung)) ] " * 30,
    "nested brackets": "(" * 3000 + "a" + ")" * 3000,
    "sixty panels": SIXTY,
    "twenty thousand characters": ("(A) Left lung, n = 5. (B) Right lung; P < 0.05. " * 500)[:20_000],
    "one word of twenty thousand": "a" * 20_000,
    "commas": "a, " * 6000,
    "ranges": "(a-z) " * 3000,
    "lists": "(" + "a, b and " * 3000 + "c)",
    "dashes": "(a" + "-" * 5000 + "b)",
    "blanks in brackets": "( " + " " * 5000 + "a)",
    "controls and marks": "(A) Left\x00lung\u202e. (B)\u0301 R\u0308ight 😀 lung\u2028. ",
    "right to left": "(أ) الرئة اليسرى (ب) الرئة اليمنى",
    "full width": "（Ａ） 左肺。（Ｂ） 右肺。",
    "newlines": "(A) Left lung\n\n\n(B) Right\r\nlung",
}


@pytest.mark.parametrize("kind", CAPTIONS)
@pytest.mark.slow
def test_a_caption_of_every_kind_gives_labels_with_tokens_of_its_own(kind: str) -> None:
    caption = Caption.cut(CAPTIONS[kind])
    parsed = parse_caption(caption)
    assert set(parsed.tokens) == set(parsed.labels)
    assert len(set(parsed.labels)) == len(parsed.labels)
    for tokens in parsed.tokens.values():
        assert all(0 <= token < len(caption.tokens) for token in tokens)
    assert 0.0 <= parsed.confidence <= 1.0
    assert sound(CLASSIC.predict(a_figure(width=400, height=200, caption=caption.text), drawn()))


def test_sixty_panels_are_all_read() -> None:
    parsed = parse_caption(SIXTY)
    assert parsed.labels == tuple(f"{letter}{number}" for letter in "ABCDEF" for number in range(1, 11))
    assert all(parsed.tokens.values())


def test_a_detector_that_nothing_has_is_named_before_packages_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "find_spec", lambda name: None)

    with pytest.raises(AnnotatorError) as told:
        opening.open_detector("panelnet")
    assert str(told.value).startswith(
        'detector "panelnet" is none of classic, panel-net, both and no folder; a model of the hub needs '
        "panelwise[models] (torch, "
    )

    (tmp_path / "config.json").write_text('{"model_type": "detr"}')  # a folder of transformers
    with pytest.raises(AnnotatorError) as told:
        opening.open_detector(tmp_path)
    assert str(told.value).startswith(f'detector "{tmp_path}" needs panelwise[models] (torch, ')
