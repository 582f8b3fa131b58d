import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from annotator.formats.annotations import read_predictions
from annotator.formats.jsonl import Problems
from prelabel.cli import group

# Figures are drawn or models run in processes of their own.
pytestmark = pytest.mark.slow


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    result = invoke("synth", "--out", folder)
    assert result.exit_code == 0, result.output
    assert "drew 6 figures" in result.stdout
    return folder


def test_run_on_a_file_needs_no_home_and_writes_the_annotations_layout(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.jsonl"
    result = invoke("run", drawn / "figures.jsonl", "--out", out)
    assert result.exit_code == 0, result.output
    assert result.stdout == "pre-labelled 6 figures\n"
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {record["annotator"] for record in records} == {"classic-1"}
    assert all(0 <= subfigure["score"] <= 1 for record in records for subfigure in record["subfigures"])
    problems = Problems()
    assert len(list(read_predictions(out, problems))) == 6
    assert not problems.count


def test_a_bad_record_and_a_bad_image_are_told_and_the_rest_is_written(drawn: Path, tmp_path: Path) -> None:
    lines = (drawn / "figures.jsonl").read_text("utf-8").splitlines()[:2]
    lines += ['{"figure_id": "gone", "image": "gone.png", "caption": ""}', '{"figure_id": ']
    (tmp_path / "figures.jsonl").write_text("\n".join(lines), "utf-8")
    out = tmp_path / "predictions.jsonl"
    result = invoke("run", tmp_path / "figures.jsonl", "--images", drawn, "--out", out)
    assert result.exit_code == 1
    assert result.stdout == "pre-labelled 2 figures, 2 left out or told above\n"
    assert 'figure "gone"' in result.stderr
    assert "figures.jsonl:4: not valid JSON" in result.stderr
    assert "Traceback" not in result.output
    assert len(out.read_text("utf-8").splitlines()) == 2


def test_options_that_do_not_fit_are_wrong_usage(drawn: Path, tmp_path: Path) -> None:
    assert invoke("run", drawn / "figures.jsonl").exit_code == 2
    assert invoke("run", "--out", tmp_path / "x.jsonl").exit_code == 2


def test_captions_are_read_without_images(tmp_path: Path) -> None:
    text = "Title 😀. (A) Left. (B) Right."
    lines = [json.dumps({"caption_id": "c1", "caption": text}), json.dumps({"caption_id": "c2", "caption": None})]
    (tmp_path / "captions.jsonl").write_text("\n".join([*lines, '{"caption": "x"}']), "utf-8")
    out = tmp_path / "out.jsonl"
    result = invoke("captions", tmp_path / "captions.jsonl", "--out", out)
    assert result.exit_code == 1
    assert '"caption_id" is missing' in result.stderr
    one, two = (json.loads(line) for line in out.read_text("utf-8").splitlines())
    assert one["labels"] == ["A", "B"]
    assert [text[start:end] for start, end in one["subcaptions"]["B"]] == ["(B) Right."]
    assert two == {"caption_id": "c2", "labels": [], "subcaptions": {}}


@pytest.mark.slow
def test_more_figures_than_six_are_drawn_from_the_same_kinds(tmp_path: Path) -> None:
    assert invoke("synth", "--out", tmp_path, "--figures", 7, "--seed", 4).exit_code == 0
    names = [
        json.loads(line)["figure_id"] for line in (tmp_path / "figures.jsonl").read_text("utf-8").splitlines()
    ]
    assert names[-1] == "sim-007"
    assert len(list(tmp_path.glob("*.png"))) == 7


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom prelabel.cli import group\n"
        "for name in ('', 'run', 'synth', 'captions'):\n"
        "    assert CliRunner().invoke(group, [*filter(None, [name]), '--help']).exit_code == 0\n"
        "heavy = {'numpy', 'scipy', 'PIL', 'sqlalchemy', 'msgspec', 'torch', 'flask'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
