"""Captions and images replaced after work began: a new revision, told, and the old one kept whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure
from click.testing import CliRunner
from PIL import Image
from services.revised import CAMPAIGN, FIRST, SECOND, keep, present, revise, work_on

from annotator.campaign.home import Home
from annotator.cli.campaign.export import command as export_command
from annotator.cli.campaign.import_ import command as import_command
from annotator.cli.campaign.status import command as status_command
from annotator.imports.replace import revise_figures
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Revisions
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction
from panelwise.files.jsonl import Problems, write_lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "captions", "images"),
    [
        ({"caption": "(A) left. (B) the right."}, 1, 0),
        ({"tokens": [[0, 9]]}, 1, 0),
        ({"image": "other.png"}, 0, 1),
        ({"image": "wide.png"}, 0, 1),
        ({"image": "wide.png", "caption": "New."}, 1, 1),
    ],
)
def test_another_caption_or_image_is_a_new_revision_and_the_old_one_stays_whole(
    home: Home, store: Store, folder: Path, change: dict[str, Any], captions: int, images: int
) -> None:
    revise(home, store, folder, FIRST, SECOND)
    old = present(store)
    keep(store, work_on(old))
    tally, problems = revise(home, store, folder, FIRST | change, SECOND)
    assert problems == []
    assert (tally.revised, tally.captions, tally.images, tally.unchanged) == (["f1"], captions, images, 1)
    assert tally.left_behind == ["f1"]
    assert present(store).revision == 2
    assert present(store, "f2").revision == 1
    with store.read() as tx:
        [kept] = tx.annotations.all(revisions=Revisions.OTHER)
        assert list(tx.annotations.all()) == []
        assert tx.figures.get("f1", revision=1) == old
    assert kept == work_on(old)
    with Image.open(home.image_path(kept.figure)) as image:
        assert image.size == (80, 60)


@pytest.mark.slow
def test_the_same_file_again_changes_nothing(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST, SECOND)
    changed = FIRST | {"caption": "New."}
    assert revise(home, store, folder, changed, SECOND)[0].revised == ["f1"]
    tally, problems = revise(home, store, folder, changed, SECOND)
    assert (tally.added, tally.updated, tally.revised, tally.unchanged, problems) == (0, 0, [], 2, [])
    assert present(store).revision == 2


def test_references_source_and_unknown_keys_are_changed_in_place(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST)
    keep(store, work_on(present(store)))
    more = {"references": ["See it.", "And again."], "source": {"document": "d"}, "licence": "CC0"}
    tally, _ = revise(home, store, folder, FIRST | more)
    assert (tally.updated, tally.revised, tally.unchanged) == (1, [], 0)
    with store.read() as tx:
        [still] = tx.annotations.all()
    assert still.figure == present(store)
    assert (still.figure.revision, still.figure.document, still.figure.extra) == (1, "d", {"licence": "CC0"})


def test_a_figure_given_twice_counts_once(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST)
    tally, problems = revise(home, store, folder, FIRST | {"caption": "x"}, FIRST | {"caption": "y"})
    assert tally.revised == ["f1"]
    assert len(problems) == 1
    assert "given before" in problems[0]
    assert present(store).caption.text == "x"


def test_a_bad_record_costs_only_itself(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST, SECOND)
    tally, problems = revise(
        home,
        store,
        folder,
        FIRST | {"image": "none.png"},
        SECOND | {"caption": "New."},
        FIRST | {"figure_id": "f3"},
    )
    assert (tally.revised, tally.added, len(problems)) == (["f2"], 1, 1)


def test_going_back_takes_up_the_earlier_revision_with_its_work(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST)
    keep(store, work_on(present(store)))
    with store.transaction() as tx:
        tx.predictions.put(Prediction(present(store), "m", (), ()))
        tx.decisions.add(a_decision(present(store), subfigures=()))
    score_disagreement(store, CAMPAIGN)
    revise(home, store, folder, FIRST | {"caption": "A mistake."})
    with store.read() as tx:
        assert (tx.decisions.get("f1"), tx.decisions.last_version("f1"), tx.predictions.of(["f1"]).get("f1")) == (
            None,
            1,
            None,
        )
        assert [entry.decided for entry in tx.queue.page()] == [None]
    tally, _ = revise(home, store, folder, FIRST)
    assert (tally.revised, tally.back, tally.left_behind) == (["f1"], ["f1"], [])
    with store.read() as tx:
        assert len(list(tx.annotations.all())) == 1
        assert tx.decisions.get("f1") is not None
        assert tx.predictions.of(["f1"]).get("f1") is not None
        assert [entry.decided for entry in tx.queue.page()] != [None]
    assert revise(home, store, folder, FIRST | {"caption": "A third."})[0].revised == ["f1"]
    assert present(store).revision == 3


@pytest.mark.slow
def test_the_commands_tell_what_was_revised_and_what_is_left_out(home: Home, store: Store, folder: Path) -> None:
    def run(command: Any, *arguments: str) -> Any:
        return CliRunner().invoke(command, [*arguments, "--home", str(home.path)])

    file = str(folder / "figures.jsonl")
    write_lines(folder / "figures.jsonl", [FIRST, SECOND])
    assert run(import_command, "figures", file).output == "imported 2 figures\n"
    keep(store, work_on(present(store)))
    write_lines(folder / "figures.jsonl", [FIRST | {"caption": "New."}, SECOND | {"references": ["See."]}])
    refused = run(import_command, "figures", file)
    assert refused.exit_code == 1
    assert "give --revise to replace it" in refused.output
    revised = run(import_command, "figures", file, "--revise")
    assert revised.exit_code == 0
    assert revised.output == (
        "revised 1 figure (1 caption), updated 1 in place, 0 unchanged; work on 1 figure is now outdated: f1\n"
    )
    assert run(import_command, "figures", file, "--revise").output.startswith("revised 0 figures, updated 0 in")
    status = run(status_command).output
    assert "0 done      0 open      1 to be redone" in status
    assert "1 annotation of 1 figure outdated: caption or image replaced (f1)" in status
    out = folder / "out.jsonl"
    exported = run(export_command, "annotations", "--out", str(out))
    assert "wrote 0 annotations" in exported.output
    assert (
        "left out 1 outdated annotation (earlier caption or image): f1; add them with --revision all"
        in exported.output
    )
    assert (
        "wrote 1 annotation" in run(export_command, "annotations", "--revision", "all", "--out", str(out)).output
    )
    assert '"caption":"(A) left. (B) right."' in out.read_text().replace(": ", ":")
    golden = run(export_command, "gold", "--out", str(out)).output
    assert "left out 1 outdated (caption or image replaced); have them annotated again: f1" in golden


def test_a_figure_from_before_this_version_needs_no_image_to_be_given_again(
    home: Home, store: Store, folder: Path
) -> None:
    revise(home, store, folder, FIRST)
    old = present(store)
    write_lines(folder / "bare.jsonl", [FIRST | {"width": 80, "height": 60, "caption": "New."}])
    problems = Problems()
    *_, tally = revise_figures(home, store, folder / "bare.jsonl", problems, without_images=True)
    assert (tally.revised, tally.captions, tally.images, problems.lines) == (["f1"], 1, 0, [])
    assert (present(store).image, present(store).image_sha256, present(store).extra) == (
        old.image,
        old.image_sha256,
        {},
    )


def test_figures_known_by_hand_made_records_are_told_apart(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        assert tx.figures.replace(a_figure(references=("See.",))).revision == 1
        assert tx.figures.replace(a_figure(image_sha256="aa")).revision == 1
        assert tx.figures.replace(a_figure(image_sha256="bb")).revision == 2
        assert tx.figures.replace(a_figure(image="")).image_sha256 == "bb"
        assert tx.figures.replace(a_figure(image_sha256="aa")).revision == 1
