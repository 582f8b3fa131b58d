"""Work that moves to another home is never put onto a caption or image that it was not made on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import an_annotation
from PIL import Image

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.imports.annotations import import_annotations
from annotator.imports.figures import import_figures
from annotator.imports.replace import revise_figures
from annotator.store.rows.records import Revisions
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation
from panelwise.domain.decision import GoldSource
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record, revisions_alike
from panelwise.formats.figures import figure_record, release_record
from panelwise.formats.losses import Losses
from panelwise.formats.scivqa import scivqa_record

FIRST = {"figure_id": "f1", "image": "a.png", "caption": "(A) left. (B) right."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    folder.mkdir()
    for name, colour in (("a.png", "white"), ("other.png", "black"), ("third.png", "red")):
        Image.new("RGB", (80, 60), colour).save(folder / name)
    return folder


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[tuple[Home, Store]]:
    home = Home.create(tmp_path / "fresh")
    store = home.open_store()
    yield home, store
    store.close()


def revise(home: Home, store: Store, folder: Path, **more: Any) -> list[str]:
    write_lines(folder / "figures.jsonl", [FIRST | more])
    problems = Problems()
    for _ in revise_figures(home, store, folder / "figures.jsonl", problems):
        pass
    return problems.lines


def work(store: Store, name: str, minutes: int = 0) -> Annotation:
    with store.transaction() as tx:
        made = an_annotation(tx.figures.get("f1"), annotator=name, subfigures=(), minutes=minutes)
        tx.annotations.add(made)
    return made


def moved(store: Store, folder: Path, into: tuple[Home, Store], old: Home) -> tuple[int, list[str]]:
    """Export figures and all work from `store`, import both; how much work came in, and what was told of it."""
    with store.read() as tx:
        write_lines(folder / "out.jsonl", [figure_record(each) for each in tx.figures.all()])
        write_lines(folder / "work.jsonl", map(annotation_record, tx.annotations.all(revisions=Revisions.ALL)))
    problems = Problems()
    for _ in import_figures(into[0], into[1], folder / "out.jsonl", problems, images=old.path):
        pass
    assert problems.lines == []
    return take(into[1], folder / "work.jsonl")


def take(store: Store, path: Path) -> tuple[int, list[str]]:
    problems = Problems()
    *_, tally = import_annotations(store, path, problems)
    return tally.added, [line.split(": ", 1)[1] for line in problems.lines]


@pytest.mark.slow
def test_work_on_a_replaced_image_of_the_same_size_does_not_move_onto_the_new_one(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store]
) -> None:
    revise(home, store, folder)
    work(store, "ann1", minutes=9)
    revise(home, store, folder, image="other.png")
    new = work(store, "ann2")
    added, told = moved(store, folder, fresh, home)
    assert (added, told) == (
        1,
        [
            'figure "f1": made on an earlier caption or image (revision 1), which this home does not have '
            "(revision 2); left out, copy the whole home to keep such work"
        ],
    )
    with fresh[1].read() as tx:
        [there] = tx.annotations.all(revisions=Revisions.ALL)
        assert (there.annotator, there.figure.revision) == (new.annotator, 2)
    [settled] = gold(fresh[1], home.campaign, GoldTally(), include=tuple(GoldSource))
    assert settled.provenance.based_on == ("ann2",)
    assert moved(store, folder, fresh, home)[0] == 0


def test_nobody_is_told_to_bring_in_the_caption_of_an_earlier_revision(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store]
) -> None:
    revise(home, store, folder)
    work(store, "ann1")
    revise(home, store, folder, caption="(A) new.")
    work(store, "ann1", minutes=1)
    added, [told] = moved(store, folder, fresh, home)
    assert added == 1
    assert "made on an earlier caption or image (revision 1)" in told
    assert "re-import" not in told


@pytest.mark.slow
def test_a_revision_with_work_moves_whole_where_the_home_went_back_to_it(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store]
) -> None:
    revise(home, store, folder)
    work(store, "ann1")
    revise(home, store, folder, caption="A mistake.")
    work(store, "ann1", minutes=1)
    revise(home, store, folder)
    added, [told] = moved(store, folder, fresh, home)
    assert (added, "the caption differs" in told) == (1, True)


def test_where_only_a_number_tells_images_apart_and_the_home_has_none_all_are_left_out(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store]
) -> None:
    revise(home, store, folder)
    work(store, "ann1")
    revise(home, store, folder, image="other.png")
    work(store, "ann2")
    revise(home, store, folder)
    added, told = moved(store, folder, fresh, home)
    assert added == 0
    assert (
        told
        == [
            'figure "f1": the file has work on revisions 1, 2, equal in caption and size, so the '
            "image is ambiguous; left out, export it again with --revision current"
        ]
        * 2
    )
    with store.read() as tx:
        write_lines(folder / "current.jsonl", map(annotation_record, tx.annotations.all()))
    assert take(fresh[1], folder / "current.jsonl") == (1, [])


def test_a_home_that_knows_no_numbers_takes_work_of_one_other_number(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store]
) -> None:
    revise(home, store, folder)
    revise(home, store, folder, image="other.png")
    write_lines(folder / "work.jsonl", [annotation_record(work(store, "ann1"))])
    assert revise(*fresh, folder, image="other.png") == []
    assert take(fresh[1], folder / "work.jsonl") == (1, [])


def test_a_home_that_is_behind_does_not_take_work_on_a_later_image(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store]
) -> None:
    for each in ("a.png", "other.png"):
        revise(home, store, folder, image=each)
        revise(*fresh, folder, image=each)
    revise(home, store, folder, image="third.png")
    write_lines(folder / "work.jsonl", [annotation_record(work(store, "ann1"))])
    added, [told] = take(fresh[1], folder / "work.jsonl")
    assert added == 0
    assert "made on another caption or image (revision 3), which this home does not have (revision 1, 2)" in told
    revise(*fresh, folder, image="third.png")
    assert take(fresh[1], folder / "work.jsonl") == (1, [])


def test_a_figure_brought_up_to_date_takes_the_number_that_it_has_elsewhere(
    fresh: tuple[Home, Store], folder: Path
) -> None:
    revise(*fresh, folder)
    revise(*fresh, folder, image="third.png", revision=3)
    with fresh[1].read() as tx:
        assert [each.revision for each in tx.figures.revisions("f1")] == [1, 3]
        assert tx.figures.get("f1").extra == {}
    revise(*fresh, folder, image="other.png", revision=2)
    with fresh[1].read() as tx:
        assert tx.figures.get("f1").revision == 4


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, -1, 1.5, 10**9, "two", True])
def test_what_is_no_number_of_a_revision_is_named(fresh: tuple[Home, Store], folder: Path, number: Any) -> None:
    [told] = revise(*fresh, folder, revision=number)
    assert '"revision" holds' in told


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["jsonl", "medicat", "scivqa"])
def test_figures_of_all_layouts_keep_their_number(
    home: Home, store: Store, folder: Path, fresh: tuple[Home, Store], layout: str
) -> None:
    revise(home, store, folder)
    with store.read() as tx:
        assert "revision" not in figure_record(tx.figures.get("f1"))
    revise(home, store, folder, image="other.png")
    with store.read() as tx:
        figure = tx.figures.get("f1")
    losses = Losses(layout)
    shutil.copytree(home.path / "images", folder, dirs_exist_ok=True)
    shutil.copytree(home.path / "images", folder / "images")
    record = {
        "jsonl": lambda: figure_record(figure),
        "medicat": lambda: release_record(figure, losses),
        "scivqa": lambda: scivqa_record(figure, None, losses),
    }[layout]()
    write_lines(folder / "out.jsonl", [record])
    problems = Problems()
    for _ in import_figures(*fresh, folder / "out.jsonl", problems):
        pass
    assert problems.lines == []
    with fresh[1].read() as tx:
        assert tx.figures.get("f1").revision == 2


def test_revisions_alike_are_found_wherever_they_stand_in_a_file(tmp_path: Path) -> None:
    def record(figure: str, revision: int | None, caption: str = "x", width: float = 8) -> dict[str, Any]:
        return {"figure_id": figure, "revision": revision, "caption": caption, "width": width, "height": 6}

    path = tmp_path / "a.jsonl"
    write_lines(
        path,
        [
            *(
                record("f1", 1),
                record("f2", 1),
                record("f3", 2),
                record("f4", 1),
                record("f5", 1),
                record("f6", None),
            ),
            *(record("f1", 3, width=8.0), record("f2", 2, "y"), record("f3", 2), record("f5", 2, width=9)),
            record("f6", 2),
        ],
    )
    with path.open("ab") as file:
        file.write(b'{"figure_id": "f1", "revision": 4\n[1]\n\xff\n')
    assert revisions_alike(path) == {("f1", "x", 8, 6): {1, 3}}
    assert revisions_alike(tmp_path) == {}
