"""A release as a dataset: what mlcroissant, datasets and pandas load of it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from builders import a_decision
from conftest import missing
from PIL import Image
from services.released_figures import SETTINGS, gold_rows, lines, release_twelve

from annotator.campaign.home import Home
from annotator.gold.dataset.check import faults, table_rows
from annotator.gold.release import Released, make_release
from annotator.gold.releases import changes
from annotator.store.store import Store
from panelwise.files.jsonl import Problems, write_lines
from prelabel.training.data.splits import Split

#: Every test makes a release: seconds in all.
pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign", settings=SETTINGS)


@pytest.fixture
def released(home: Home, store: Store) -> Released:
    return release_twelve(home, store)


def ran(code: str, *arguments: object, module: str) -> str:
    """The output of a script, in a process of its own: these packages warn and are slow to import."""
    if importlib.util.find_spec(module) is None:
        missing(f"{module} is not installed", "make setup installs it")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


_CROISSANT = """
import json, sys
import mlcroissant
found = mlcroissant.Dataset(jsonld=sys.argv[1] + "/croissant.json")
issues = found.metadata.ctx.issues
rows = {each.uuid: [dict(row) for row in found.records(each.uuid)] for each in found.metadata.record_sets}
text = lambda value: value.decode() if isinstance(value, bytes) else str(value)
said = [found.metadata.ctx.is_v1_1(), sorted(issues.errors), sorted(issues.warnings), rows]
print(json.dumps(said, default=text))
"""


def test_croissant_is_valid_and_its_records_are_the_rows(released: Released) -> None:
    folder = released.release.path
    is_1_1, errors, warnings, rows = json.loads(ran(_CROISSANT, folder, module="mlcroissant").splitlines()[-1])
    assert is_1_1
    assert (errors, warnings) == ([], [])
    assert [each["splits/name"] for each in rows["splits"]] == ["train", "val", "test"]
    for split in Split:
        name = f"gold-{split}"
        written = lines(folder / f"data/{name}.jsonl")
        assert [each[f"{name}/figure_id"] for each in rows[name]] == [each["figure_id"] for each in written]
        assert [[box[f"{name}/subfigures/box"] for box in each[f"{name}/subfigures"]] for each in rows[name]] == [
            [box["box"] for box in each["subfigures"]] for each in written
        ]
    assert len(rows["annotations"]) == 24
    assert len(rows["predictions"]) == 12
    content = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert content["rai:annotationsPerItem"] == "12 figures by 2 annotators"
    assert content["rai:dataBiases"] == "Few figures."
    assert "classic-1 (12 predictions)" in content["rai:machineAnnotationTools"]


_DATASETS = """
import hashlib, json, sys
import datasets
folder, cache = sys.argv[1:]
found = {}
for config in ("gold", "annotations", "predictions"):
    for split, rows in datasets.load_dataset(folder, config, cache_dir=cache).items():
        rows = rows.to_list() if config != "gold" else [dict(row) for row in rows]
        for row in rows:
            if row.get("image") is not None:
                row["image"] = hashlib.sha256(row["image"].tobytes()).hexdigest()
        found[config + " " + split] = rows
print(json.dumps(found))
"""


def test_datasets_loads_the_folder_with_equal_records_images_and_boxes(
    released: Released, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    folder = released.release.path
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    loaded = json.loads(ran(_DATASETS, folder, tmp_path / "cache", module="datasets").splitlines()[-1])

    def expected(name: str) -> list[dict[str, Any]]:
        rows = lines(folder / f"data/{name}.jsonl")
        for row in rows:
            if row.get("image") is not None:
                with Image.open(folder / row["image"]) as image:
                    row["image"] = hashlib.sha256(image.tobytes()).hexdigest()
        return rows

    assert loaded == {
        "gold train": expected("gold-train"),
        "gold validation": expected("gold-val"),
        "gold test": expected("gold-test"),
        "annotations train": expected("annotations"),
        "predictions train": expected("predictions"),
    }


_PANDAS = """
import json, sys
import pandas
rows = pandas.read_parquet(sys.argv[1]).itertuples()
print(json.dumps([[row.figure_id, [part["box"].tolist() for part in row.subfigures]] for row in rows]))
"""


def test_pandas_and_pyarrow_read_the_parquet_as_the_json_lines(released: Released) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    folder = released.release.path
    for name in ("annotations", "predictions", "gold-train"):
        rows = pyarrow.read_table(folder / f"data/{name}.parquet").to_pylist()
        for row in rows:
            if row.get("image") is not None:
                row["image"] = row["image"]["path"]
        written = lines(folder / f"data/{name}.jsonl")
        assert rows == written
        boxes = [[row["figure_id"], [part["box"] for part in row["subfigures"]]] for row in written]
        assert json.loads(ran(_PANDAS, folder / f"data/{name}.parquet", module="pandas")) == boxes


def test_without_pyarrow_the_card_leads_to_json_lines(
    home: Home, adjudicated: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.gold.dataset import tables

    monkeypatch.setattr(tables, "can_write", lambda: False)
    made = make_release(home, adjudicated, "plain")
    assert list(made.release.path.rglob("*.parquet")) == []
    header = yaml.safe_load((made.release.path / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert [part["path"] for part in header["configs"][0]["data_files"]] == [
        *("data/gold-train.jsonl", "data/gold-test.jsonl")
    ]
    assert list(faults(made.release)) == []


def test_the_real_figures_make_a_release_that_agrees_with_itself_and_loads(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.imports.annotations import import_annotations
    from annotator.imports.figures import import_figures

    work = lines(shared_data / "annotations.jsonl")
    names = {row["figure_id"] for row in work}
    chosen = tmp_path / "figures.jsonl"
    write_lines(chosen, (row for row in lines(shared_data / "figures.jsonl") if row["figure_id"] in names))
    home = Home.create(tmp_path / "campaign", settings=SETTINGS)
    problems = Problems()
    with home.open_store() as store:
        list(import_figures(home, store, chosen, problems, images=shared_data))
        list(import_annotations(store, shared_data / "annotations.jsonl", problems))
        assert problems.lines == []
        with store.transaction() as tx:
            for each in list(tx.annotations.all(annotator="ann1")):
                tx.decisions.add(a_decision(each.figure, subfigures=each.subfigures, based_on=("ann1",)))
        made = make_release(home, store, "real", images=True)
    folder = made.release.path
    assert list(changes(made.release)) == []
    assert list(faults(made.release)) == []
    card = table_rows((folder / "README.md").read_text(encoding="utf-8"))
    assert (card["Figures"], card["Annotations"]) == ("19", "57")
    assert card["Phase 1, released figures: IAA"] == card["Phase 1, all figures: IAA"] == "0.945"
    assert made.manifest["counts"]["by_annotators"] == {"3": 19}
    assert len(list((folder / "images").iterdir())) == 19
    [_, errors, warnings, rows] = json.loads(ran(_CROISSANT, folder, module="mlcroissant").splitlines()[-1])
    assert (errors, warnings) == ([], [])
    assert sum(len(rows[f"gold-{split}"]) for split in Split) == 19
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    script = _DATASETS.replace(', "predictions"', "")
    loaded = json.loads(ran(script, folder, tmp_path / "cache", module="datasets").splitlines()[-1])
    boxes = {row["figure_id"]: row["subfigures"] for row in gold_rows(folder)}
    assert {row["figure_id"]: row["subfigures"] for key in loaded if "gold" in key for row in loaded[key]} == boxes
