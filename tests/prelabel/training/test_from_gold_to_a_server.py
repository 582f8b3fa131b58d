"""A model from gold to a server on 60 simulated figures: trained, run, scored and served; half a minute's work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from annotator.cli.prelabel import group
from annotator.label_studio.payload.figures import task_data
from label_config import subfigure_config
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise.formats.figures import read_figures

pytestmark = pytest.mark.slow
FIGURES = 60


def invoke(*arguments: object) -> str:
    done = CliRunner().invoke(group, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures with a detector and a box tagger, one of an epoch and one of two."""
    folder = tmp_path_factory.mktemp("whole")
    invoke("synth", "--figures", FIGURES, "--difficulty", "easy", "--processes", 1, "--out", folder / "sim")
    gold = (folder / "sim" / "annotations.jsonl", "--figures", folder / "sim" / "figures.jsonl")
    invoke("train", "detector", *gold, "--architecture", "tiny", "--random-weights", "--workers", 0, "--epochs", 1,
           "--device", "cpu", "--out", folder / "detector")  # fmt: skip
    invoke("train", "box-crf", *gold, "--encoder", "tiny", "--epochs", 2, "--device", "cpu",
           "--out", folder / "tagger")  # fmt: skip
    return folder


@pytest.fixture
def server(trained: Path, tmp_path: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "prelabel", "serve", "--port", "0", "--images", str(trained / "sim"),
               "--tagger", str(trained / "tagger"), "--device", "cpu"]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PANELWISE_MODEL")}
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            assert "box-crf-" in said
            yield next(word for word in said.split() if word.startswith("http"))
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=300)


def test_a_model_is_trained_run_scored_and_served(trained: Path, server: str, tmp_path: Path) -> None:
    models = ("--detector", trained / "detector", "--device", "cpu")
    out = tmp_path / "predictions.jsonl"
    invoke("run", trained / "sim" / "figures.jsonl", *models, "--tagger", trained / "tagger", "--out", out)
    predictions = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(predictions) == FIGURES
    (version,) = {each["annotator"] for each in predictions}
    assert version.startswith("detector-")
    assert "box-crf-" in version

    table = json.loads(
        invoke("evaluate", "--table", trained / "sim" / "annotations.jsonl", "--figures",
               trained / "sim" / "figures.jsonl", *models, "--box-crf", trained / "tagger", "--bootstrap", 10,
               "--processes", 1, "--format", "json")
    )  # fmt: skip
    scored = {each["key"]: each["f1"]["test"] for each in table["rows"]}
    assert {"oracle_single_span_heuristic", "box_crf_gold", "box_crf_found", "prelabeller"} <= scored.keys()
    assert all(0 <= each["value"] <= 1 for each in scored.values())
    assert table["columns"]["test"]["figures"] > 0
    assert not any("trained_on" in each for each in table["rows"])

    work = next(iter(read_annotations(trained / "sim" / "annotations.jsonl", Problems())))
    records = read_figures(trained / "sim" / "figures.jsonl", Problems())
    image = next(each.image for each in records if each.figure_id == work.figure.id)
    data = {**task_data(replace(work.figure, image="images/x.png")), "image": f"/data/local-files/?d={image}"}
    task = {"id": 1, "data": data}
    config = subfigure_config([each.label for each in work.subfigures])
    with httpx.Client(trust_env=False, timeout=300) as visitor:
        answer = visitor.post(
            f"{server}/predict", json={"tasks": [task], "project": "1.1", "label_config": config}
        )
    assert answer.status_code == 200, answer.text
    (result,) = answer.json()["results"]
    assert {each["type"] for each in result["result"]} >= {"rectanglelabels"}
