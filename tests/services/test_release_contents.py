"""What a release holds: the gold of the moment, what it stands on, and no name that was not asked for."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import get_type_hints

import pytest
from builders import NOON, a_decision, a_figure, an_annotation

from agreement.primitives.settings import DEFAULTS
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Names
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.gold.manifest import (
    About,
    Agreement,
    CampaignEntry,
    Counts,
    FigureEntry,
    FileEntry,
    Manifest,
    PhaseAgreement,
    read_manifest,
)
from annotator.gold.release import make_release
from annotator.gold.releases import changes
from annotator.measurement.report import measure, measure_sources
from annotator.store.store import Store
from panelwise.domain.caption import Caption
from panelwise.domain.decision import Gold, GoldSource
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise.formats.medicat import read_gold

#: Every test builds a settled campaign: seconds in all.
pytestmark = pytest.mark.slow


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def without_image(adjudicated: Gold) -> Gold:
    """In a release the image is named as its copy."""
    return replace(adjudicated, figure=replace(adjudicated.figure, image=""))


def test_a_release_is_the_gold_of_the_moment_with_what_it_stands_on(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot", note="first", names=Names.REAL)
    assert made.release.path == home.path / "releases" / "001-pilot"
    assert sorted(path.name for path in made.release.path.iterdir()) == [
        *(
            ".zenodo.json",
            "CITATION.cff",
            "DATASHEET.md",
            "LICENSE",
            "README.md",
            "SHA256SUMS",
            "annotations.jsonl",
        ),
        *("coco", "croissant.json", "data", "figures.jsonl", "gold.jsonl", "manifest.json"),
        "subcaption_split_keys.json",
    ]
    problems = Problems()
    written = list(read_gold(made.release.path / "gold.jsonl", problems))
    assert [without_image(each) for each in written] == [
        without_image(each) for each in gold(adjudicated, home.campaign, GoldTally())
    ]
    found = list(read_annotations(made.release.path / "annotations.jsonl", problems))
    assert [(each.figure.id, each.annotator) for each in found] == [
        (figure, annotator) for figure in ("f2", "f_1") for annotator in ("ann1", "ann2")
    ]
    assert [each["figure_id"] for each in lines(made.release.path / "figures.jsonl")] == ["f2", "f_1"]
    assert problems.lines == []
    assert list(changes(made.release)) == []


def test_the_manifest_says_what_is_in_and_what_is_not_and_why(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot", note="first", now=NOON)
    manifest = made.release.manifest()
    assert manifest == json.loads(json.dumps(made.manifest))
    assert {
        key: manifest[key] for key in ("format", "format_version", "number", "name", "note", "created_at")
    } == {
        **{"format": "panelwise-release", "format_version": 1, "number": 1, "name": "pilot", "note": "first"},
        "created_at": "2026-11-21T12:00:00Z",
    }
    counts = manifest["counts"]
    tokens = len(a_figure().caption.tokens)
    assert counts == {
        **{"figures": 2, "documents": 2, "subfigures": 4, "tokens": 2 * tokens, "subcaption_tokens": 12},
        **{"types": 0, "pairs": 0, "answers": 0},
        **{"annotations": 4, "predictions": 0, "by_annotators": {"2": 2}},
        "by_source": {"adjudicated": 1, "unanimous": 1, "single": 0},
        "unreviewed": 0,
        "without_document": 0,
        "by_split": {"test": {"figures": 1, "documents": 1}, "train": {"figures": 1, "documents": 1}},
    }
    assert manifest["include"] == []
    states = {"adjudicated": 1, "unanimous": 1, "unresolved": 1}
    assert {state: number for state, number in manifest["status"].items() if number} == states
    assert manifest["left_out"]["unresolved"] == ["f3"]
    assert manifest["left_out"]["untouched"] == 0
    assert manifest["guidelines"] == {"1.0": 2, "1.1": 2}
    assert manifest["figures"]["f2"]["revision"] == 1
    assert (
        manifest["figures"]["f2"]["image_sha256"]
        == hashlib.sha256((home.images / "f2.png").read_bytes()).hexdigest()
    )
    for name, entry in manifest["files"].items():
        data = (made.release.path / name).read_bytes()
        assert (entry["sha256"], entry["bytes"]) == (hashlib.sha256(data).hexdigest(), len(data))
        if name in ("gold.jsonl", "figures.jsonl", "annotations.jsonl"):
            assert entry["lines"] == data.count(b"\n")


def test_single_work_is_released_where_it_is_asked_for_and_the_manifest_counts_it(
    home: Home, adjudicated: Store
) -> None:
    with adjudicated.transaction() as tx:
        tx.figures.add(a_figure("f4"))
        tx.annotations.add(an_annotation(tx.figures.get("f4")))
    without = make_release(home, adjudicated, "without").manifest
    assert (without["include"], without["counts"]["unreviewed"], without["left_out"]["single"]) == ([], 0, ["f4"])
    including = make_release(home, adjudicated, "with", include=tuple(GoldSource)).manifest
    assert (including["include"], including["counts"]["unreviewed"]) == (["single"], 1)
    assert including["left_out"]["single"] == []
    assert "f4" in including["figures"]
    assert including["status"] == without["status"]


def test_nothing_but_single_work_makes_no_release_and_says_what_would(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.annotations.add(an_annotation(tx.figures.get("f1")))
    with pytest.raises(
        AnnotatorError, match=r"no gold figures.*1 figure single .*; add them with --include single"
    ):
        make_release(home, store, "pilot")


def test_the_agreement_is_that_of_the_report_and_that_of_the_released_file(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot", names=Names.REAL)
    agreement = made.manifest["agreement"]
    assert {key: agreement[key] for key in ("mode", "common", "min_iou", "bootstrap", "seed")} == {
        **{"mode": "paper", "common": "none", "min_iou": DEFAULTS.min_iou, "bootstrap": 10_000, "seed": 0}
    }
    [phase] = agreement["phases"]
    report = measure(adjudicated)
    assert report.iaa is not None
    assert report.intervals.iaa is not None
    assert phase["campaign"]["iaa"] == report.iaa
    assert phase["campaign"]["interval"] == list(report.intervals.iaa)
    assert phase["campaign"]["figures"] == 3
    again = measure_sources([made.release.path / "annotations.jsonl"], Problems())
    assert phase["released"]["iaa"] == again.iaa
    assert phase["released"]["figures"] == 2
    assert phase["released"]["iaa"] > phase["campaign"]["iaa"]


def test_figures_done_on_an_earlier_caption_only_count_for_the_campaign_and_not_for_the_release(
    home: Home, adjudicated: Store
) -> None:
    with adjudicated.transaction() as tx:
        tx.figures.replace(replace(tx.figures.get("f3"), caption=Caption.cut("Another caption.")))
        other = tx.figures.replace(replace(tx.figures.get("f_1"), caption=Caption.cut("One more.")))
        tx.decisions.add(a_decision(other, version=2, subfigures=(), based_on=()))
    made = make_release(home, adjudicated, "pilot", names=Names.REAL)
    assert list(made.manifest["figures"]) == ["f2", "f_1"]
    [phase] = made.manifest["agreement"]["phases"]
    assert phase["campaign"]["iaa"] == measure(adjudicated).iaa
    assert phase["campaign"]["figures"] == 3
    again = measure_sources([made.release.path / "annotations.jsonl"], Problems())
    assert phase["released"]["iaa"] == again.iaa
    assert phase["released"]["figures"] == 1


def test_no_name_of_a_person_is_in_a_release_unless_asked_for(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation(annotator="wilhelmina", seeded_by="classic-1"))
        tx.decisions.add(a_decision(reviewer="rosamunde", based_on=("wilhelmina",)))
    made = make_release(home, store, "hidden")
    text = b"".join(path.read_bytes() for path in made.release.path.rglob("*") if path.is_file())
    assert b"wilhelmina" not in text
    assert b"rosamunde" not in text
    assert b"classic-1" in text
    [record] = lines(made.release.path / "gold.jsonl")
    [annotation] = lines(made.release.path / "annotations.jsonl")
    assert record["provenance"]["based_on"] == [annotation["annotator"]]
    again = make_release(home, store, "hidden-again")
    assert [(again.release.path / name).read_bytes() for name in ("gold.jsonl", "annotations.jsonl")] == [
        (made.release.path / name).read_bytes() for name in ("gold.jsonl", "annotations.jsonl")
    ]
    real = make_release(home, store, "real", names=Names.REAL)
    assert b"rosamunde" in (real.release.path / "gold.jsonl").read_bytes()


def test_the_same_gold_gives_the_same_bytes(home: Home, adjudicated: Store) -> None:
    one, two = (make_release(home, adjudicated, name, images=name == "b") for name in ("a", "b"))
    assert (one.release.path / "gold.jsonl").read_bytes() == (two.release.path / "gold.jsonl").read_bytes()


def test_images_come_along_under_the_names_by_which_readers_open_them(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot", images=True)
    with adjudicated.read() as tx:
        stored = {figure.id: figure.image for figure in tx.figures.all()}
    for record, figure in zip(
        lines(made.release.path / "gold.jsonl"), lines(made.release.path / "figures.jsonl"), strict=True
    ):
        image = made.release.path / "images" / f"{record['pdf_hash']}_{record['fig_uri']}"
        assert image.read_bytes() == (home.path / stored[str(record["figure_id"])]).read_bytes()
        assert figure["image"] == record["image"] == f"images/{image.name}"
    assert list(changes(made.release)) == []
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=made.release.path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", ["figures.jsonl", "gold.jsonl"])
def test_a_released_folder_can_be_imported_again(
    home: Home, adjudicated: Store, tmp_path: Path, file: str
) -> None:
    from annotator.imports.figures import import_figures

    made = make_release(home, adjudicated, "pilot", images=True)
    other = Home.create(tmp_path / "other")
    problems = Problems()
    with other.open_store() as store:
        list(import_figures(other, store, made.release.path / file, problems))
        assert problems.lines == []
        with store.read() as tx:
            assert tx.figures.count() == 2
            assert tx.figures.get("f2").caption == a_figure().caption


def test_a_reason_for_no_agreement_tells_no_name(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation(annotator="wilhelmina"))
    made = make_release(home, store, "alone", include=tuple(GoldSource))
    [phase] = made.manifest["agreement"]["phases"]
    assert phase["campaign"]["iaa"] is None
    assert phase["campaign"]["reason"] == "one annotator only; agreement needs two"
    assert "wilhelmina" not in json.dumps(made.manifest)


def test_notes_go_out_as_they_are_and_the_lead_is_told(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation(annotator="wilhelmina"))
        tx.decisions.add(a_decision(note="as Wilhelmina said"))
    made = make_release(home, store, "noted")
    assert made.warnings == [
        "campaign.toml: [release] has no licence and no authors; add them and release again",
        "notes and comments are written as they are (records that have some: 1)",
        "names of people stand in those of f1 (1 in all)",
    ]


def test_a_name_in_the_note_of_a_release_is_told(home: Home, adjudicated: Store) -> None:
    with adjudicated.read() as tx:
        name = min(each for each in tx.names.all() if len(each) > 2)
    made = make_release(home, adjudicated, "second", note=f"{name} did most")
    assert made.warnings[-1] == (
        "the note of the release contains the name of a person and is in the manifest unchanged; "
        f"to change it, remove {made.release.path} and release again"
    )
    assert made.manifest["note"] == f"{name} did most"
    assert make_release(home, adjudicated, "third", note="all did most").warnings == made.warnings[:-1]
    assert (
        make_release(home, adjudicated, "real", note=f"{name} did most", names=Names.REAL).warnings
        == made.warnings[:1]
    )


def test_the_manifest_has_the_keys_that_its_readers_check(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot", names=Names.REAL)
    written = read_manifest(made.release.path / "manifest.json")
    assert written == json.loads(json.dumps(made.manifest))
    assert written.keys() == get_type_hints(Manifest).keys()
    assert get_type_hints(Counts).keys() - {"figures"} <= written["counts"].keys()
    [figure, *_] = written["figures"].values()
    assert figure.keys() == get_type_hints(FigureEntry).keys()
    assert written["about"].keys() == get_type_hints(About).keys()
    assert written["campaign"].keys() == get_type_hints(CampaignEntry).keys()
    [phase, *_] = written["agreement"]["phases"]
    assert phase.keys() == get_type_hints(PhaseAgreement).keys()
    assert phase["campaign"].keys() == get_type_hints(Agreement).keys()
    assert {key for entry in written["files"].values() for key in entry} == get_type_hints(FileEntry).keys()
