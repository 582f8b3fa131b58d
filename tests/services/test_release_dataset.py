"""A release as a dataset: splits by article, licences, tables, documents, and what `--check` finds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from builders import a_decision, a_figure, an_annotation
from click.testing import CliRunner
from services.released_figures import SETTINGS, gold_rows, lines, release_twelve

from annotator.campaign.home import Home
from annotator.cli.campaign.release import command as release
from annotator.gold.dataset import numbers
from annotator.gold.dataset.check import faults, table_rows
from annotator.gold.dataset.licences import licence_of, may_copy
from annotator.gold.dataset.splits import split_articles
from annotator.gold.release import Released, make_release, preview_release
from annotator.gold.releases import Release, changes, sums_text
from annotator.measurement.report import measure_sources
from annotator.store.store import Store
from panelwise.files.jsonl import Problems
from prelabel.training.data.splits import Split, read_split_keys

#: Every test makes a release: seconds in all.
pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign", settings=SETTINGS)


@pytest.fixture
def released(home: Home, store: Store) -> Released:
    return release_twelve(home, store)


def signed(release: Release, edit: Callable[[Path], None]) -> list[str]:
    """The faults after an edit of a release whose hashes were written again."""
    for path in release.path.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    edit(release.path)
    manifest = release.manifest()
    for name, entry in manifest["files"].items():
        entry["sha256"] = hashlib.sha256((release.path / name).read_bytes()).hexdigest()
    (release.path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    digests = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    digests |= {each["file"]: each["image_sha256"] for each in manifest["figures"].values() if each["file"]}
    digests["manifest.json"] = hashlib.sha256((release.path / "manifest.json").read_bytes()).hexdigest()
    (release.path / "SHA256SUMS").write_text(sums_text(digests), encoding="utf-8")
    assert list(changes(release)) == []
    return list(faults(release))


def test_a_release_agrees_with_itself(released: Released) -> None:
    assert list(changes(released.release)) == []
    assert list(faults(released.release)) == []


def test_no_article_is_in_two_splits_and_the_keys_are_medicats(released: Released) -> None:
    folder = released.release.path
    rows = gold_rows(folder)
    assert len(rows) == 12
    assert {row["split"] for row in rows} == {"train", "val", "test"}
    assert len({(row["document"], row["split"]) for row in rows}) == 6
    keys = read_split_keys(folder / "subcaption_split_keys.json")
    named = {row["figure_id"]: (row["pdf_hash"], row["fig_key"]) for row in lines(folder / "gold.jsonl")}
    assert {name: keys[key] for name, key in named.items()} == {row["figure_id"]: row["split"] for row in rows}
    by_split = released.manifest["counts"]["by_split"]
    assert {split: entry["figures"] for split, entry in by_split.items()} == {
        split.value: sum(row["split"] == split for row in rows) for split in Split
    }


def test_an_article_stays_in_the_split_of_its_first_release(home: Home, store: Store, released: Released) -> None:
    first = {entry["document"]: entry["split"] for entry in released.manifest["figures"].values()}
    with store.transaction() as tx:
        for number in range(40):
            figure = a_figure(f"g{number}", document=f"new:{number}", source={"document": f"new:{number}"})
            tx.figures.add(figure)
            work = an_annotation(figure, annotator="ann1")
            tx.annotations.add(work)
            tx.annotations.add(replace(work, annotator="ann2"))
    second = make_release(home, store, "second").manifest
    later = {entry["document"]: entry["split"] for entry in second["figures"].values()}
    assert len(later) == 46
    assert {name: later[name] for name in first} == first
    assert {later[f"new:{number}"] for number in range(40)} == {"train", "val", "test"}


def test_marks_that_would_split_an_article_send_all_of_it_to_the_test() -> None:
    splits, [warning] = split_articles([("a", "train"), ("a", "testing?"), ("a", "test"), ("b", "valid")], {})
    assert splits == {"a": Split.TEST, "b": Split.VAL}
    assert warning.startswith('article "a": figures marked test, train; all are in test')
    splits, [warning] = split_articles([("b", "valid")], {"b": Split.TRAIN})
    assert splits == {"b": Split.TRAIN}
    assert warning.startswith('article "b": figures marked val; all are in train')


@pytest.mark.parametrize(
    ("licence", "spelled", "copied"),
    [
        ("CC BY 4.0", "CC-BY-4.0", True),
        ("cc-by-sa-3.0", "CC-BY-SA-3.0", True),
        ("https://creativecommons.org/licenses/by/4.0/legalcode", "CC-BY-4.0", True),
        ("http://creativecommons.org/publicdomain/mark/1.0/", "PDM-1.0", True),
        ("CC0", "CC0", True),
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0", False),
        ("https://creativecommons.org/licenses/by-nd/4.0/", "CC-BY-ND-4.0", False),
        ("All rights reserved", "All rights reserved", False),
        ("", "", False),
    ],
)
def test_a_licence_in_any_spelling_says_whether_an_image_may_be_copied(
    licence: str, spelled: str, copied: bool
) -> None:
    assert licence_of({"source": {"licence": licence}}) == licence_of({"license": licence}) == spelled
    assert may_copy(spelled, ("CC0", "CC-BY", "CC-BY-SA", "PDM")) is copied
    assert may_copy(spelled, (spelled,)) is bool(licence)


def test_images_that_may_not_be_copied_are_listed(released: Released) -> None:
    folder = released.release.path
    copied = {row["figure_id"]: row["image"] for row in gold_rows(folder) if row["image"]}
    assert set(copied) == {f"f{number}" for number in range(12) if number % 4 in (0, 3)}
    assert all((folder / image).is_file() for image in copied.values())
    assert len(list((folder / "images").iterdir())) == 6
    listed = {row["figure_id"]: row for row in lines(folder / "images_not_included.jsonl")}
    assert set(listed) == {f"f{number}" for number in range(12) if number % 4 in (1, 2)}
    assert listed["f1"]["licence"] == "CC-BY-NC-4.0"
    assert listed["f1"]["source"]["document"] == "doi:0"
    assert released.warnings == [
        "6 images not copied, because no licence is stated or it does not allow copies; they are listed in "
        "images_not_included.jsonl (see figure_licence and image_licences in campaign.toml)"
    ]


def test_every_number_of_the_card_is_that_of_the_manifest_and_of_the_report(released: Released) -> None:
    folder = released.release.path
    card = table_rows((folder / "README.md").read_text(encoding="utf-8"))
    for name, value in numbers.rows(released.manifest):
        assert card.pop(name) == value
    assert list(card.values()) == ["value"] * 4
    report = measure_sources([folder / "annotations.jsonl"], Problems(), articles=folder / "figures.jsonl")
    assert report.intervals.unit == "article"
    assert "bootstrap over articles, 10,000 resamples" in (folder / "README.md").read_text(encoding="utf-8")
    card = table_rows((folder / "README.md").read_text(encoding="utf-8"))
    assert report.iaa is not None
    assert report.intervals.iaa is not None
    assert card["Phase 1, released figures: IAA"] == f"{report.iaa:.3f}"
    low, high = report.intervals.iaa
    assert card["Phase 1, released figures: 95 % CI"] == f"{low:.3f} to {high:.3f}"
    assert card["Figures"] == "12"
    assert card["Predictions"] == "12"
    assert card["Annotations"] == "24"


def test_the_header_the_citation_and_the_licence_are_what_campaign_toml_says(released: Released) -> None:
    folder = released.release.path
    header = yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert header["license"] == "cc-by-4.0"
    assert header["pretty_name"] == "Chest figures: a | dataset"
    assert header["size_categories"] == ["n<1K"]
    for config in header["configs"]:
        for part in config["data_files"]:
            assert (folder / part["path"]).is_file()
    citation = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["authors"] == [
        {
            "family-names": "Müller",
            "given-names": "Anna",
            "orcid": "https://orcid.org/0000-0001-2345-6789",
            "affiliation": "Lab",
        },
        {"name": "Example Society"},
    ]
    assert (citation["cff-version"], citation["type"], citation["license"]) == ("1.2.0", "dataset", "CC-BY-4.0")
    assert "title = {{Chest figures: a \\textbar{} dataset}}" in (folder / "README.md").read_text(encoding="utf-8")
    assert "licensed under CC-BY-4.0: https://creativecommons.org/licenses/by/4.0/" in (
        folder / "LICENSE"
    ).read_text(encoding="utf-8")
    datasheet = (folder / "DATASHEET.md").read_text(encoding="utf-8")
    assert "To test releases." in datasheet
    assert datasheet.count("Not stated by the makers") == 6


def test_boxes_of_every_annotator_are_in_coco_with_rater_id(released: Released) -> None:
    from pycocotools.coco import COCO

    folder = released.release.path
    coco = COCO(str(folder / "coco/annotations-1.json"))
    raters = {row["annotator"] for row in lines(folder / "annotations.jsonl")}
    boxes = coco.loadAnns(coco.getAnnIds())
    assert {box["rater_id"] for box in boxes} == raters
    assert len(boxes) == 12 * 2 + 11 * 2 + 1
    assert all(set(image["rater_list"]) == raters for image in coco.loadImgs(coco.getImgIds()))
    assert boxes[0]["bbox"] == [0, 0, 400, 600]
    assert len(COCO(str(folder / "coco/gold.json")).getAnnIds()) == 24


def test_a_fault_behind_right_hashes_is_found(released: Released) -> None:
    release = released.release

    def replaced(name: str, old: str, new: str) -> list[str]:
        path = release.path / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        found = signed(release, lambda _: path.write_text(text.replace(old, new, 1), encoding="utf-8") and None)
        assert signed(release, lambda _: path.write_text(text, encoding="utf-8") and None) == []
        return found

    [line] = replaced("README.md", "| Figures | 12 |", "| Figures | 13 |")
    assert line.endswith('README.md: "Figures" is 13, but manifest.json gives 12')
    [line] = replaced("data/gold-test.jsonl", '"width":800', '"width":"wide"')
    assert "gold-test.jsonl:1: not a row of this table" in line
    found = replaced("data/gold-test.jsonl", '"split":"test"', '"split":"train"')
    assert any('article "doi:' in line and "is in" in line for line in found)
    assert any(line.count("(") >= 3 and "subcaption_split_keys.json" in line for line in found)
    [line] = replaced("data/gold-train.jsonl", '"licence":"CC-BY-4.0"', '"licence":"CC-BY-NC-4.0"')
    assert "is included, but its licence (CC-BY-NC-4.0) is none of CC0, CC-BY, CC-BY-SA, PDM" in line
    found = replaced("annotations.jsonl", '"box":[0.0,', '"box":[399.0,')
    assert any("agreement of phase 1: iaa is" in line for line in found)


#: Places in a manifest, and values that cannot be there.
ODD_ENTRIES: list[tuple[tuple[str | int, ...], object]] = [
    (("figures",), None),
    (("figures",), {"f1": {"file": None, "image_sha256": None, "split": "train"}}),
    (("counts", "by_split"), {"train": 3}),
    (("counts", "tokens"), None),
    (("campaign",), []),
    (("licences",), {"": 1}),
    (("about", "image_licences"), 7),
    (("agreement", "phases"), [{"phase": "1"}]),
    (("agreement", "phases", 0, "released", "interval"), [1.0]),
    (("names",), {}),
]


def test_a_manifest_of_another_shape_is_one_line_though_its_hash_is_right(home: Home, released: Released) -> None:
    path, sums = (released.release.path / name for name in ("manifest.json", "SHA256SUMS"))
    path.chmod(0o644)
    sums.chmod(0o644)
    good = path.read_text("utf-8")
    others = [line for line in sums.read_text().splitlines() if not line.endswith("manifest.json")]
    for keys, value in ODD_ENTRIES:
        whole = place = json.loads(good)
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value
        path.write_text(json.dumps(whole), "utf-8")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        sums.write_text("\n".join([*others, f"{digest}  manifest.json", ""]))
        for option in ("--check", "--list"):
            done = CliRunner().invoke(release, [option, "--home", str(home.path)], standalone_mode=False)
            said = done.stdout + done.stderr
            assert (done.return_value, said.count("is not the manifest of a release (")) == (1, 1), (keys, said)


def test_the_command_names_faults_and_ends_with_1(home: Home, released: Released) -> None:
    from tests.cli.test_commands import annotator

    assert annotator("release", "--check", home=home.path).stdout == "001-pilot: unchanged\n"
    card = released.release.path / "README.md"
    text = card.read_text(encoding="utf-8").replace("| Articles | 6 |", "| Articles | 7 |")
    assert len(signed(released.release, lambda _: card.write_text(text, encoding="utf-8") and None)) == 1
    done = annotator("release", "pilot", "--check", home=home.path)
    assert (done.returncode, done.stdout) == (1, "001-pilot: 1 fault\n")
    assert done.stderr == f'{card}: "Articles" is 7, but manifest.json gives 6\n'


def test_a_release_from_before_releases_were_datasets_has_no_faults(tmp_path: Path) -> None:
    old = {"format": "panelwise-release", "created_at": "2026-01-01T00:00:00Z", "names": "real"}
    old |= {"counts": {"figures": 0, "subfigures": 0}, "files": {}, "figures": {}}
    (tmp_path / "manifest.json").write_text(json.dumps(old), encoding="utf-8")
    assert list(faults(Release(tmp_path, 1, "old"))) == []


@pytest.mark.parametrize(
    ("documents", "statement", "articles"),
    [
        (
            ("", ""),
            "The figures' articles are not stated: figures of one article may be in different splits.",
            None,
        ),
        (("doi:1", ""), "No stated article is in two splits; 1 figure without one may belong", "2"),
        (("doi:1", "doi:2"), "No article is in two splits.", "2"),
    ],
)
def test_the_documents_claim_no_split_by_articles_that_nobody_named(
    home: Home, store: Store, documents: tuple[str, ...], statement: str, articles: str | None
) -> None:
    with store.transaction() as tx:
        for number, document in enumerate(documents):
            figure = a_figure(f"f{number}", document=document, source={})
            tx.figures.add(figure)
            tx.decisions.add(a_decision(figure))
    made = make_release(home, store, "pilot")
    folder = made.release.path
    card, sheet = ((folder / name).read_text("utf-8") for name in ("README.md", "DATASHEET.md"))
    assert statement in card
    assert statement in sheet
    assert table_rows(card).get("Articles") == articles
    assert any("without an article" in line for line in made.warnings) is ("" in documents)
    assert list(faults(made.release)) == []


def test_one_licence_for_all_figures_that_state_none_lets_their_images_be_copied(
    home: Home, store: Store, released: Released
) -> None:
    assert preview_release(home, store).images == 6
    path = home.path / "campaign.toml"
    text = path.read_text("utf-8").replace("[release]", '[release]\nfigure_licence = "CC BY 4.0"', 1)
    path.write_text(text, "utf-8")
    home = Home.find(home.path)
    preview = preview_release(home, store)
    assert (preview.figures, preview.images, preview.without_document) == (12, 9, 0)
    assert preview.licences == {"CC-BY-4.0": 6, "CC-BY-NC-4.0": 3, "CC0-1.0": 3}
    made = make_release(home, store, "open", images=True)
    assert len(list((made.release.path / "images").iterdir())) == preview.images
    assert {row["licence"] for row in gold_rows(made.release.path)} == set(preview.licences)
    assert list(faults(made.release)) == []
