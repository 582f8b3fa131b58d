"""Figures of 26 panels and more: labels go on after Z, boxes and letters stay in their places."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from prelabel.captions.labels import expand
from prelabel.captions.parser import parse_caption
from prelabel.classic.prelabeller import CLASSIC
from prelabel.panels.letters.find import MOST_NAMES, letter_names, may_lack

WIDTH, HEIGHT, GAP, TOP = 150, 110, 24, 22
PLACES = ("above", "beside")


def names(count: int, *, doubled: bool = False, small: bool = False) -> list[str]:
    letters = ascii_lowercase if small else ascii_uppercase
    more = [2 * letter if doubled else letters[0] + letter for letter in letters]
    return [*letters, *more][:count]


def grid(labels: list[str], columns: int, place: str, *, plots: bool = True) -> tuple[Image.Image, list[Box]]:
    """A plain grid of plots or pictures in reading order, with their letters above or beside them."""
    down, across = -(-len(labels) // columns) * (HEIGHT + GAP + TOP), columns * (WIDTH + GAP)
    image = Image.new("RGB", (across + GAP, down + GAP), "white")
    draw, font, rng = ImageDraw.Draw(image), ImageFont.load_default(16), np.random.default_rng(len(labels))
    boxes = []
    for number, label in enumerate(labels):
        x = GAP + number % columns * (WIDTH + GAP)
        y = GAP + TOP + number // columns * (HEIGHT + GAP + TOP)
        if plots:
            draw.line([(x, y), (x, y + HEIGHT), (x + WIDTH, y + HEIGHT)], fill="black", width=2)
            heights = y + HEIGHT - 4 - rng.random(10) * (HEIGHT - 20)
            draw.line([(x + 8 + 14 * step, high) for step, high in enumerate(heights)], fill="navy", width=2)
        else:
            coarse = rng.integers(40, 200, (12, 15, 3), dtype=np.uint8)
            image.paste(Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC), (x, y))
        left, top = (x, y - 20) if place == "above" else (x - 19, y)
        draw.text((left, top), label, fill="black", font=font)
        boxes.append(Box(float(left), float(top), float(x + WIDTH), float(y + HEIGHT)))
    return image, boxes


def caption_of(labels: list[str]) -> str:
    return "Trees. " + " ".join(f"({label}) Growth of tree {number}." for number, label in enumerate(labels, 1))


@pytest.mark.parametrize("plots", [True, False])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("count", "columns"), [(30, 6), (40, 5)])
def test_each_of_many_panels_gets_its_box_its_letter_and_its_words(
    count: int, columns: int, place: str, plots: bool
) -> None:
    labels = names(count)
    image, boxes = grid(labels, columns, place, plots=plots)
    caption = Caption.cut(caption_of(labels))
    predicted = CLASSIC.predict(Figure("f", "f.png", *image.size, caption), image).subfigures
    assert [subfigure.label for subfigure in predicted] == labels
    for number, (subfigure, box) in enumerate(zip(predicted, boxes, strict=True), 1):
        assert subfigure.box.iou(box) >= 0.7
        words = [caption.text[slice(*caption.ranges[token])] for token in sorted(subfigure.subcaption)]
        assert words == ["(", labels[number - 1], ")", "Growth", "of", "tree", str(number), "."]


def test_many_printed_letters_that_no_caption_names_become_labels() -> None:
    labels = names(30)
    image, _ = grid(labels, 6, "above", plots=False)
    predicted = CLASSIC.predict(Figure("f", "f.png", *image.size, Caption.cut("")), image).subfigures
    assert [subfigure.label for subfigure in predicted] == labels


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("doubled", [False, True])
@pytest.mark.parametrize("count", [26, 27, 30, 40])
def test_labels_go_on_after_z_as_the_caption_writes_them(count: int, doubled: bool, small: bool) -> None:
    labels = names(count, doubled=doubled, small=small)
    trees = [f"tree {number}" for number in range(count)]
    listed = ", ".join(f"{tree} ({label})" for tree, label in zip(trees, labels, strict=True))
    written = (
        caption_of(labels),
        f"Growth of trees: {listed}.",
        f"Growth of trees ({labels[0]}-{labels[-1]}), one line each.",
        "Trees. " + " ".join(f"{label}: {tree};" for label, tree in zip(labels, trees, strict=True)),
        f"({', '.join(labels)}) Growth of trees.",
    )
    for text in written:
        assert parse_caption(text).labels == tuple(labels), text


@pytest.mark.parametrize(
    ("written", "first", "last", "count"),
    [("A-AD", "A", "AD", 30), ("X-BB", "X", "BB", 5), ("AA-AD", "AA", "AD", 4), ("y to ab", "y", "ab", 4)],
)
def test_ranges_run_beyond_z(written: str, first: str, last: str, count: int) -> None:
    labels = expand(written)
    assert (labels[0], labels[-1], len(labels)) == (first, last, count)


@pytest.mark.parametrize("written", ["i-ii", "AD-AA", "A-ad", "a-AD"])
def test_what_is_no_range_beyond_z_gives_no_labels(written: str) -> None:
    assert expand(written) == ()


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Genotypes. (A) Patients with AA. (B) Patients with AB and AD.", "A B"),
        ("Binding. (a) Residues aa 1 to 90. (b) The same as in a, at 4 °C.", "a b"),
        ("Cells. (a) Growth, as in ref. 2 (aa). (b) Death.", "a b"),
        ("Sites. (Ai-iii) Root. (Bi-ii) Stem.", "Ai Aii Aiii Bi Bii"),
    ],
)
def test_two_letters_are_no_panel_where_letters_do_not_run_up_to_z(text: str, labels: str) -> None:
    assert parse_caption(text).labels == tuple(labels.split())


def test_text_shared_by_panels_after_z_goes_to_each_of_them() -> None:
    caption = Caption.cut("Trees. (A-Z) Oaks. (AA, AB) Elms.")
    tokens = parse_caption(caption).tokens
    words = {label: [caption.text[slice(*caption.ranges[token])] for token in tokens[label]] for label in tokens}
    assert "Elms" in words["AA"]
    assert words["AA"] == words["AB"]
    assert "Oaks" in words["Z"]
    assert "Elms" not in words["Z"]


def test_names_go_on_after_z_and_only_long_runs_may_lack_letters() -> None:
    assert letter_names(28)[-3:] == ("Z", "AA", "AB")
    assert len(set(letter_names(MOST_NAMES))) == MOST_NAMES
    assert [may_lack(count) for count in (2, 8, 11, 12, 30)] == [0, 0, 0, 1, 5]


def test_a_folder_of_many_panels_is_pre_labelled_by_the_command(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from annotator.cli.prelabel import group
    from panelwise.files.jsonl import Problems
    from panelwise.formats.annotations import read_annotations

    labels = names(30)
    grid(labels, 6, "above")[0].save(tmp_path / "f.png")
    line = f'{{"figure_id": "f", "image": "f.png", "caption": "{caption_of(labels)}"}}\n'
    (tmp_path / "figures.jsonl").write_text(line, encoding="utf-8")
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(group, ["run", str(tmp_path / "figures.jsonl"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    (annotation,) = islice(read_annotations(out, Problems()), 2)
    assert [subfigure.label for subfigure in annotation.subfigures] == labels
