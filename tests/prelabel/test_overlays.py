import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotator.cli.prelabel import group
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure
from prelabel.runs.overlays import COLOURS, WIDTH, WithOverlays, open_folder, overlay, overlay_name

CAPTION = "Two things. (a) One thing. (b) Another thing – both of them."


def predicted(caption: str = CAPTION, *, figure_id: str = "f1", panels: int = 2) -> Prediction:
    cut = Caption.cut(caption)
    width = 300 // max(1, panels)
    subfigures = tuple(
        Subfigure(
            chr(ord("a") + number % 26) * (1 + number // 26), Box(number * width, 0, (number + 1) * width, 200)
        )
        for number in range(panels)
    )
    figure = Figure(figure_id, "f1.png", 300, 200, cut, (), "", {}, {})
    return Prediction(figure, "model-1", subfigures, (0.5,) * panels)


def with_text(prediction: Prediction, *spans: tuple[int, int]) -> Prediction:
    cut = prediction.figure.caption
    subfigures = tuple(
        Subfigure(each.label, each.box, cut.tokens_in([Span(start, end)]))
        for each, (start, end) in zip(prediction.subfigures, spans, strict=True)
    )
    return Prediction(prediction.figure, "model-1", subfigures, prediction.scores)


def colours_of(image: Image.Image) -> set[tuple[int, int, int]]:
    pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    return {(red, green, blue) for red, green, blue in np.unique(pixels, axis=0).tolist()}


class Model:
    version = "model-1"

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        return Prediction(figure, self.version, (Subfigure("a", Box(0, 0, 10, 10)),), (0.5,))


@pytest.mark.slow
def test_every_panel_has_its_colour_on_the_figure_and_in_the_caption() -> None:
    image = Image.new("L", (300, 200), 128)
    plain = predicted()
    drawn = overlay(plain, image)
    assert drawn.width == WIDTH
    assert set(COLOURS[:2]) < colours_of(drawn)
    assert COLOURS[2] not in colours_of(drawn)
    figure_ends = drawn.height - 150
    caption = overlay(with_text(plain, (12, 26), (27, 40)), image).crop((0, figure_ends, WIDTH, drawn.height))
    assert overlay(plain, image).crop((0, figure_ends, WIDTH, drawn.height)).tobytes() != caption.tobytes()


def test_a_shared_word_is_marked_in_the_colours_of_all_that_share_it() -> None:
    image = Image.new("RGB", (300, 200))
    alone = overlay(with_text(predicted(), (12, 26), (27, 40)), image)
    shared = overlay(with_text(predicted(), (12, 40), (12, 40)), image)
    lowest = (0, alone.height - 40, WIDTH, alone.height)
    assert not set(COLOURS[:2]) <= colours_of(alone.crop(lowest)) or alone.tobytes() != shared.tobytes()
    assert set(COLOURS[:2]) <= colours_of(shared.crop(lowest))


def test_reasons_are_written_beside_the_panels() -> None:
    image = Image.new("RGB", (300, 200))
    assert overlay(predicted(), image).tobytes() != overlay(predicted(), image, ("gutter 0.9", "")).tobytes()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "CMYK"])
@pytest.mark.parametrize("size", [(1, 1), (3000, 20), (20, 3000)])
def test_images_of_every_kind_and_shape_can_be_drawn_on(mode: str, size: tuple[int, int]) -> None:
    drawn = overlay(predicted(), Image.new(mode, size))
    assert drawn.mode == "RGB"
    assert drawn.height < 2000


@pytest.mark.parametrize("caption", ["", " ", "x", "word " * 5000, "w" * 20000, "ﬁ 中文 \U0001f600 ‐"])
def test_captions_of_every_kind_can_be_written(caption: str) -> None:
    assert overlay(predicted(caption), Image.new("RGB", (300, 200))).height < 4000


def test_many_panels_and_none_can_be_drawn() -> None:
    image = Image.new("RGB", (300, 200))
    assert overlay(predicted(panels=60), image).height > overlay(predicted(panels=0), image).height


def test_a_file_name_is_the_id_where_that_is_safe() -> None:
    assert overlay_name("PMC123_fig1.a-b") == "PMC123_fig1.a-b.png"


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "a\\b", "CON", "nul.txt", ".", "..", "", "a" * 300, "ä b"]
)
def test_other_ids_give_names_that_stay_in_the_folder(name: str) -> None:
    found = overlay_name(name)
    assert Path(found).name == found
    assert not found.startswith(".")
    assert len(found) < 120
    assert found.isascii()
    assert found.split(".")[0].split("-")[0].lower() not in ("con", "nul")


@given(st.lists(st.text(max_size=120), unique=True, max_size=8))
def test_names_differ_where_ids_do(ids: list[str]) -> None:
    assert len({overlay_name(each) for each in ids}) == len(ids)


def test_any_model_s_predictions_are_drawn_and_not_changed(tmp_path: Path) -> None:
    figure = predicted().figure
    image = Image.new("RGB", (300, 200))
    wrapped = WithOverlays(Model(), tmp_path)
    assert wrapped.version == "model-1"
    assert wrapped.predict(figure, image) == Model().predict(figure, image)
    with Image.open(tmp_path / "f1.png") as written:
        assert written.width == WIDTH


def test_a_picture_that_cannot_be_written_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "f1.png").mkdir()
    with pytest.raises(AnnotatorError, match=r"f1\.png: is a directory"):
        WithOverlays(Model(), tmp_path).predict(predicted().figure, Image.new("RGB", (300, 200)))


def test_a_folder_that_cannot_be_used_is_told_in_one_line(tmp_path: Path) -> None:
    assert open_folder(tmp_path / "new" / "deep").is_dir()
    file = tmp_path / "file"
    file.write_text("")
    for folder in (file, file / "inside"):
        with pytest.raises(AnnotatorError) as told:
            open_folder(folder)
        assert str(folder) in str(told.value)
        assert "\n" not in str(told.value)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["run", *[str(argument) for argument in arguments]])


@pytest.mark.slow
def test_run_with_debug_writes_a_picture_for_each_figure_and_the_same_predictions(tmp_path: Path) -> None:
    lines = []
    for number, name in enumerate(("f1", "other/f 2")):
        Image.new("RGB", (120, 80), (255, 255, 40 * number)).save(tmp_path / f"{number}.png")
        lines.append(json.dumps({"figure_id": name, "image": f"{number}.png", "caption": "T. (a) One. (b) Two."}))
    figures = tmp_path / "figures.jsonl"
    figures.write_text("\n".join(lines), "utf-8")
    plain, seen = tmp_path / "plain.jsonl", tmp_path / "seen.jsonl"
    assert run(figures, "--out", plain).exit_code == 0
    result = run(figures, "--out", seen, "--debug", tmp_path / "pictures")
    assert result.exit_code == 0, result.output
    assert plain.read_bytes() == seen.read_bytes()
    names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert names == sorted(overlay_name(name) for name in ("f1", "other/f 2"))


def test_run_refuses_a_bad_folder_for_pictures_before_it_begins(tmp_path: Path) -> None:
    figures = tmp_path / "figures.jsonl"
    figures.write_text('{"figure_id": "f1", "image": "f1.png", "caption": ""}', "utf-8")
    result = run(figures, "--out", tmp_path / "out.jsonl", "--debug", figures)
    assert result.exit_code == 2
    assert "is a file" in result.output
    assert not (tmp_path / "out.jsonl").exists()
