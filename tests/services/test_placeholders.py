"""Figures without a picture get one that bears their id, and lose nothing when the true one comes."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from builders import an_annotation
from click.testing import CliRunner
from PIL import Image

from annotator.campaign.home import Home
from annotator.cli.campaign.import_ import figures as command
from annotator.imports.figures import import_figures
from annotator.imports.replace import revise_figures
from annotator.store.store import Store
from panelwise.domain.figure import IMAGE_AS_WRITTEN
from panelwise.files.jsonl import Problems
from panelwise.images.placeholders import PLACEHOLDER, placeholder

RECORD = {"figure_id": "2020.cl-2.6.pdf-Figure11", "image_file": "missing.png", "caption": "A tree."}


def the_file(folder: Path, *records: dict[str, object]) -> Path:
    path = folder / "figures.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def bring(home: Home, store: Store, path: Path, *, revise: bool = False, placeholders: bool = True) -> list[str]:
    """What was wrong."""
    problems = Problems()
    how = revise_figures if revise else import_figures
    for _ in how(home, store, path, problems, placeholders=placeholders):
        pass
    return problems.lines


def the_figure(store: Store):
    with store.read() as tx:
        return tx.figures.get(RECORD["figure_id"])


def ink(data: bytes) -> int:
    """How many pixels are dark."""
    grey = Image.open(BytesIO(data)).convert("L")
    return sum(grey.histogram()[:120])


def test_a_placeholder_bears_the_id() -> None:
    short, long = (placeholder(each) for each in ("f1", "f1-and-much-more-of-it"))
    assert Image.open(BytesIO(short)).size == (800, 600)
    assert placeholder("f1") == short != placeholder("f2")
    assert ink(long) > ink(short)


@pytest.mark.parametrize("size", [(1, 1), (40, 900), (900, 40)])
@pytest.mark.parametrize("name", ["f", "x" * 300, "Ünit \u8449 \u05e2\n\x07", "\U0001f600"])
def test_any_id_fits_on_any_size(name: str, size: tuple[int, int]) -> None:
    assert Image.open(BytesIO(placeholder(name, *size))).size == size


def test_a_figure_whose_image_is_not_there_gets_one_on_request_only(
    home: Home, store: Store, tmp_path: Path
) -> None:
    path = the_file(tmp_path, RECORD)
    [problem] = bring(home, store, path, placeholders=False)
    assert "missing.png" in problem
    assert bring(home, store, path) == []
    figure = the_figure(store)
    assert (figure.width, figure.height) == (800, 600)
    assert home.image_path(figure).read_bytes() == placeholder(figure.id)
    assert (figure.extra[PLACEHOLDER], figure.extra[IMAGE_AS_WRITTEN]) == (True, "missing.png")


def test_importing_again_changes_nothing_even_where_it_would_be_drawn_otherwise(
    home: Home, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = the_file(tmp_path, RECORD)
    bring(home, store, path)
    before = the_figure(store)
    monkeypatch.setattr("annotator.imports.figures.placeholder", lambda *_: placeholder("another"))
    for revise in (False, True):
        assert bring(home, store, path, revise=revise) == []
        assert the_figure(store) == before


def test_the_true_picture_takes_its_place_as_a_new_revision(home: Home, store: Store, tmp_path: Path) -> None:
    path = the_file(tmp_path, RECORD)
    bring(home, store, path)
    figure = the_figure(store)
    with store.transaction() as tx:
        tx.annotations.add(replace(an_annotation(figure, subfigures=())))
    Image.new("RGB", (640, 480), "red").save(tmp_path / "missing.png")
    assert bring(home, store, path, revise=True) == []
    true = the_figure(store)
    assert (true.width, true.revision) == (640, 2)
    assert PLACEHOLDER not in true.extra


def test_a_true_picture_never_gives_way_to_a_placeholder(home: Home, store: Store, tmp_path: Path) -> None:
    path = the_file(tmp_path, RECORD)
    picture = tmp_path / "missing.png"
    Image.new("RGB", (640, 480), "red").save(picture)
    bring(home, store, path)
    before = the_figure(store)
    picture.unlink()
    assert bring(home, store, path, revise=True) == []
    assert the_figure(store) == before
    assert PLACEHOLDER not in before.extra


def test_a_given_size_is_kept_and_one_beyond_the_limits_refused(home: Home, store: Store, tmp_path: Path) -> None:
    small = {**RECORD, "width": 300, "height": 200}
    huge = {**RECORD, "figure_id": "huge", "width": 90_000, "height": 90_000}
    [problem] = bring(home, store, the_file(tmp_path, small, huge))
    assert 'figure "huge": 90000 x 90000 pixels exceed what [images] in campaign.toml allows' in problem
    assert (the_figure(store).width, the_figure(store).height) == (300, 200)


def test_a_damaged_picture_is_no_missing_one(home: Home, store: Store, tmp_path: Path) -> None:
    (tmp_path / "missing.png").write_bytes(b"no picture")
    [problem] = bring(home, store, the_file(tmp_path, RECORD))
    assert "missing.png" in problem


def test_the_command_draws_them_and_takes_no_contradiction(home: Home, tmp_path: Path) -> None:
    path = the_file(tmp_path, RECORD, {**RECORD, "figure_id": "f2", "image_file": "other.png"})
    arguments = [str(path), "--home", str(home.path), "--placeholders"]
    done = CliRunner().invoke(command, arguments)
    assert (done.exit_code, done.stdout) == (0, "imported 2 figures\n")
    refused = CliRunner().invoke(command, [*arguments, "--no-images"])
    assert refused.exit_code == 2
    assert "--no-images can't be combined with" in refused.output
