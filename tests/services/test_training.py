"""What there is to learn from in a campaign; the training itself is tested with torch, below tests/prelabel."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_figure, an_annotation

from annotator.campaign.home import Home
from annotator.gold.records import Exported, gold_records
from annotator.gold.release import make_release
from annotator.prelabels.train import Material, Training, adjudicated_figures, described, examples_of, train, tune
from annotator.store.store import Store
from panelwise.domain.decision import REVIEWED, GoldSource
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.medicat import keys_of
from prelabel.runs import opening
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import (
    CONCERNS,
    KINDS,
    RECIPES,
    SCIBERT,
    Options,
    recipe_for,
    recipe_of,
    resolve_options,
)


def test_a_campaigns_gold_is_learnt_from_with_its_images(home: Home, adjudicated: Store) -> None:
    problems = Problems()
    found = adjudicated_figures(home, problems)
    assert problems.count == 0
    # f3 is unresolved: no gold.
    assert [each.figure.id for each in found] == ["f2", "f_1"]
    assert [each.image for each in found] == [home.images / "f2.png", home.images / "f_1.png"]
    assert [each.split for each in found] == [Split.TRAIN, Split.TEST]
    assert not any(each.agreement for each in found)


def test_a_campaign_with_a_release_is_learnt_from_in_its_splits(home: Home, adjudicated: Store) -> None:
    """However many articles come later: a generation of models is tested on the figures of the last one."""
    made = make_release(home, adjudicated, "pilot")
    released = {entry["document"]: entry["split"] for entry in made.release.manifest()["figures"].values()}
    assert Material(home.path).split_source == f"release {made.release.path.name}"
    for number in range(20):
        with adjudicated.transaction() as tx:
            later = replace(tx.figures.get("f2"), id=f"later{number}", document=f"later{number}", extra={})
            tx.figures.add(later)
            tx.annotations.add(an_annotation(later))
    for seed in (0, 1):
        found = examples_of(Material(home.path, split_seed=seed), Problems())
        splits = {each.figure.document or each.figure.id: each.split for each in found}
        assert {name: splits[name] for name in released} == released
        assert set(splits.values()) == set(Split)


def test_split_keys_beside_the_gold_are_used_unless_another_seed_is_asked_for(
    home: Home, adjudicated: Store, tmp_path: Path
) -> None:
    file = tmp_path / "gold.jsonl"
    write_lines(file, gold_records(home, adjudicated, Exported(), include=tuple(GoldSource)))
    drawn = examples_of(Material(file), Problems())
    assert Material(file).split_source == "the records' own, else drawn with seed 0"
    keys = {split: [] for split in Split}
    for each in drawn:
        split = Split.TRAIN if each.split is Split.TEST else Split.TEST
        keys[split].append({key: keys_of(each.figure)[key] for key in ("pdf_hash", "fig_key")})
    (tmp_path / "subcaption_split_keys.json").write_text(json.dumps(keys))
    found = examples_of(Material(file), Problems())
    assert [(each.figure.id, each.split) for each in found] != [(each.figure.id, each.split) for each in drawn]
    assert Material(file).split_source.startswith("subcaption_split_keys.json ")
    assert "drawn with seed 1" in Material(file, split_seed=1).split_source


def test_figures_that_two_did_in_the_agreement_phase_are_kept_for_the_test(home: Home, adjudicated: Store) -> None:
    with adjudicated.transaction() as tx:
        for name in ("ann1", "ann2"):
            tx.annotations.add(replace(an_annotation(tx.figures.get("f2"), annotator=name), phase="2"))
        tx.annotations.add(replace(an_annotation(tx.figures.get("f_1")), phase="2"))
    assert {each.figure.id: each.agreement for each in adjudicated_figures(home, Problems())} == {
        "f2": True,
        "f_1": False,
    }
    (other,) = {each.agreement for each in adjudicated_figures(home, Problems(), agreement_phase="3")}
    assert not other


def test_a_figure_whose_image_is_nowhere_is_told_and_left_out(home: Home, adjudicated: Store) -> None:
    with adjudicated.transaction() as tx:
        tx.figures.add(a_figure("f0", image=""))
        tx.annotations.add(an_annotation(tx.figures.get("f0")))
    problems = Problems()
    assert [each.figure.id for each in adjudicated_figures(home, problems)] == ["f2", "f_1"]
    assert problems.lines == ['figure "f0": has no stored image; import it again with its image and --revise']


def test_a_home_is_material_like_a_file(home: Home, adjudicated: Store) -> None:
    found = examples_of(Material(home.path), Problems())
    assert [(each.figure.id, each.split) for each in found] == [("f2", Split.TRAIN), ("f_1", Split.TEST)]
    assert described(found) == (
        "2 figures of 2 articles: 1 to train, 0 to validate, 1 kept for the test; 1 adjudicated, 1 unanimous"
    )
    with pytest.raises(AnnotatorError, match="no campaign here"):
        examples_of(Material(home.images), Problems())


def test_single_work_is_learnt_from_unless_it_is_left_out(home: Home, adjudicated: Store, tmp_path: Path) -> None:
    with adjudicated.transaction() as tx:
        tx.figures.add(replace(tx.figures.get("f2"), id="f4", document="doi:4"))
        tx.annotations.add(an_annotation(tx.figures.get("f4")))
    file = tmp_path / "gold.jsonl"
    exported = Exported()
    write_lines(file, gold_records(home, adjudicated, exported, include=tuple(GoldSource)))
    for source in (home.path, file):
        found = examples_of(Material(source), Problems())
        assert described(found).endswith("; 1 adjudicated, 1 unanimous, 1 single")
        found = examples_of(Material(source, include=REVIEWED), Problems())
        assert {each.figure.id for each in found} == {"f2", "f_1"}
        assert described(found).endswith("; 1 adjudicated, 1 unanimous")


def test_nothing_but_single_work_is_told_where_that_is_to_be_left_out(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.annotations.add(an_annotation(tx.figures.get("f1")))
    (home.images / "f1.png").touch()
    with pytest.raises(
        AnnotatorError, match=r"none of 1 figure was adjudicated or is unanimous; .* --include single"
    ):
        examples_of(Material(home.path, include=REVIEWED), Problems())


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_models_packages_one_line_says_what_to_install(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "find_spec", lambda name: None)
    for what, doing in ((train, "training"), (tune, "tuning")):
        with pytest.raises(AnnotatorError, match=rf"{doing} a {kind} needs panelwise\[models\] .*pip install"):
            what(Training(kind, Options(), Problems()), Material(tmp_path / "gold.jsonl"), tmp_path / "out")


def test_the_papers_best_trials_are_what_is_done_unasked() -> None:
    text, box, detector = (recipe_for(kind, Options()) for kind in ("text-crf", "box-crf", "detector"))
    assert (text.lr, text.weight_decay, text.dropout, text.batch) == (2.60e-5, 0.770, 0.182, 8)
    assert (box.lr, box.weight_decay, box.dropout, box.batch) == (1.34e-5, 0.699, 0.404, 8)
    assert (detector.lr, detector.batch) == (2.22e-4, 10)
    bare = recipe_for("text-crf", Options(random_weights=True))
    assert (bare.lr, bare.weight_decay, bare.dropout) == (2.47e-5, 0.574, 0.499)
    # There is none of the others without pre-trained weights.
    assert recipe_for("box-crf", Options(random_weights=True)) == box
    assert recipe_for("text-crf", Options(encoder="tiny")).lr > 10 * text.lr
    assert set(KINDS) <= set(RECIPES)


def test_options_left_open_are_filled_and_others_kept() -> None:
    recipe = recipe_for("text-crf", Options())
    filled = resolve_options("text-crf", Options(), recipe, batch=None, dropout=None)
    assert (filled.batch, filled.dropout, filled.encoder, filled.architecture) == (8, 0.182, SCIBERT, "")
    bare = resolve_options("text-crf", Options(random_weights=True), recipe, batch=None, dropout=None)
    assert bare.encoder == "base"
    given = resolve_options("text-crf", Options(encoder="tiny"), recipe, batch=2, dropout=0.0)
    assert (given.batch, given.dropout, given.encoder) == (2, 0.0, "tiny")
    detector = resolve_options("detector", Options(), recipe_for("detector", Options()), batch=None, dropout=None)
    assert (detector.architecture, detector.encoder) == ("resnet50", "")


def test_a_checkpoints_settings_are_its_recipe() -> None:
    recipe = recipe_for("box-crf", Options())
    said = {"lr": 0.5, "clip": 3.0, "seed": 1, "weight_decay": "much", "other": {"batch": 4, "encoder": "x"}}
    assert recipe_of(said, recipe) == replace(recipe, lr=0.5, clip=3.0, batch=4)
    assert recipe_of({}, recipe) == recipe


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_training_cannot_change_is_what_its_kind_has(kind: str) -> None:
    fixed = Options().fixed(kind)
    assert {"batch", "random_weights"} <= set(fixed)
    assert not {"device", "workers", "seed"} & set(fixed)
    assert all(
        (name in fixed) == (kind in kinds)
        for name, kinds in CONCERNS.items()
        if name not in ("workers", "features")
    )


def test_an_example_knows_whether_it_is_compound(home: Home, adjudicated: Store) -> None:
    example: Example = examples_of(Material(home.path), Problems())[0]
    assert not example.whole
    assert example.texted
