from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from detector_cases import a_checkpoint, an_image

from annotator.cli.prelabel.run import command
from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure
from prelabel.classic.prelabeller import CLASSIC
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import BOTH, Recipe


def test_a_run_decides_by_a_checkpoint_and_the_splitter(tmp_path: Path) -> None:
    a_checkpoint(tmp_path / "net")
    an_image(0).save(tmp_path / "f.png")
    model = FigureModel(Recipe(detector=f"{BOTH}:{tmp_path / 'net'}", device="cpu"))
    assert model.version.startswith("joint-2-panels-")
    assert model.version.endswith(CLASSIC.version)
    figures = [
        Figure(str(n), "f.png", 400, 300, Caption.cut(text)) for n, text in enumerate(("", "(A) One. (B) Two."))
    ]
    together = model([(figure, tmp_path / "f.png") for figure in figures])
    alone = [model([(figure, tmp_path / "f.png")])[0] for figure in figures]
    assert together == alone
    assert all(isinstance(each, Prediction) and each.subfigures for each in together)


def test_the_command_takes_both_and_classic_by_one_option(tmp_path: Path) -> None:
    a_checkpoint(tmp_path / "net")
    an_image(0).save(tmp_path / "f.png")
    record = {"figure_id": "f", "image": "f.png", "caption": ""}
    (tmp_path / "figures.jsonl").write_text(json.dumps(record) + "\n")
    for name, signed in ((f"both:{tmp_path / 'net'}", "joint-2-"), ("classic", "classic-")):
        out = tmp_path / f"{signed}.jsonl"
        arguments = [str(tmp_path / "figures.jsonl"), "--out", str(out), "--detector", name, "--device", "cpu"]
        done = CliRunner().invoke(command, arguments)
        assert done.exit_code == 0, done.output
        assert json.loads(out.read_text())["annotator"].startswith(signed)


@pytest.mark.parametrize(
    ("name", "said"), [("both:", "needs a detector after it"), ("both:./none", "no such folder")]
)
def test_both_without_a_model_is_one_line(name: str, said: str) -> None:
    with pytest.raises(AnnotatorError, match=said):
        FigureModel(Recipe(detector=name))
