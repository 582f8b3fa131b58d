from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from annotator.cli.prelabel import group
from annotator.demo.figures import FIGURES, write_sample
from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.models.checkpoints import read_about

# Models are trained, if for one epoch, and figures drawn.
pytestmark = pytest.mark.slow


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's figures, with a text-crf, a box-crf and a detector trained on them for an epoch."""
    folder = tmp_path_factory.mktemp("trained")
    write_sample(FIGURES, folder)
    gold, figures = folder / "annotations.jsonl", folder / "figures.jsonl"
    records = [json.loads(line) for line in figures.read_text("utf-8").splitlines()]
    for record, split in zip(records, ("train", "train", "train", "val", "val", "test"), strict=True):
        record["split"] = split
    figures.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    for kind, *more in (
        ("text-crf", "--encoder", "tiny"),
        ("box-crf", "--encoder", "tiny"),
        ("detector", "--architecture", "tiny", "--random-weights", "--workers", 0),
    ):
        done = invoke("train", kind, gold, "--figures", folder / "figures.jsonl", "--out", folder / kind,
                      "--epochs", 1, "--device", "cpu", *more)  # fmt: skip
        assert done.exit_code == 0, done.output
    return folder


def table(folder: Path, *more: object) -> Result:
    return invoke("evaluate", "--table", folder / "annotations.jsonl", "--figures", folder / "figures.jsonl",
                  "--device", "cpu", "--processes", 1, "--bootstrap", 10, *more)  # fmt: skip


def test_every_model_has_its_rows_on_gold_and_on_predicted_subfigures(trained: Path) -> None:
    done = table(trained, "--text-crf", trained / "text-crf", "--box-crf", trained / "box-crf", "--detector",
                 trained / "detector", "--threshold", 0.05, "--format", "json")  # fmt: skip
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    rows = {(each["given"], each["key"]): each for each in record["rows"]}
    assert [key for _, key in rows] == [
        "oracle_heuristic", "oracle_single_span", "oracle_single_span_heuristic",
        "text_crf_gold", "box_crf_gold", "grammar_gold",
        "text_crf_found", "box_crf_found", "grammar_found", "prelabeller",
    ]  # fmt: skip
    assert record["columns"]["val"]["figures"] == 2
    assert record["columns"]["test"]["figures"] == 1
    found = rows["predicted subfigures", "box_crf_found"]
    assert found["boxes"].startswith("detector-")
    assert found["model"].startswith("box-crf-")
    assert all(0 <= each["f1"]["val"]["value"] <= 1 for each in record["rows"])
    # A tiny encoder of random weights: the paper's ablation is of a model of another size.
    assert rows["gold subfigures", "text_crf_gold"]["name"] == "text CRF, random init"
    assert rows["gold subfigures", "text_crf_gold"]["paper"] is None
    # Neither is the detector the paper's.
    assert (record["boxes"][0]["name"], record["boxes"][0]["paper"]) == ("detector, random init", None)
    assert [each["kind"] for each in record["models"]] == ["text-crf", "box-crf", "detector"]
    for model in record["models"]:
        assert model["parameters"] > 1000
        assert model["training_seconds"] > 0
        assert (model["gpu_hours"], model["device"], model["random_weights"]) == (0.0, "cpu", True)
    assert [each["model"] for each in record["boxes"]] == [
        found["boxes"],
        rows["predicted subfigures", "prelabeller"]["model"],
    ]
    assert [note for note in record["notes"] if "without a detected box" not in note] == []


def test_a_model_is_not_scored_on_figures_that_it_was_trained_on_unless_forced(trained: Path) -> None:
    # Without the figures' records nobody says the splits, and they are drawn.
    files = (trained / "annotations.jsonl", "--images", trained / "none", "--device", "cpu", "--bootstrap", 0)
    models = ("--text-crf", trained / "text-crf", "--column", "all")
    refused = invoke("evaluate", "--table", *files, *models)
    assert isinstance(refused.exception, AnnotatorError)
    assert "was trained or validated on 5 figures of all figures" in str(refused.exception)
    keys = trained / "text-crf" / "best" / "config.json"
    assert f"--split-keys {keys}" in str(refused.exception)
    forced = invoke("evaluate", "--table", *files, *models, "--force")
    assert forced.exit_code == 0, forced.output
    assert "text CRF, random init *" in forced.stdout
    assert "note: * text-crf-" in forced.stdout
    record = json.loads(invoke("evaluate", "--table", *files, *models, "--force", "--format", "json").stdout)
    assert [each["key"] for each in record["rows"] if "trained_on" in each] == ["text_crf_gold"]
    # With the checkpoint's own splits those to validate with are as in its training.
    again = invoke("evaluate", "--table", *files, *models[:2], "--split-keys", keys, "--column", "val")
    assert again.exit_code == 0, again.output
    assert "*" not in again.stdout


def test_a_tagger_that_learnt_common_words_says_so_and_has_no_number_of_the_paper_beside_it(
    trained: Path, tmp_path: Path
) -> None:
    gold = (trained / "annotations.jsonl", "--figures", trained / "figures.jsonl")
    done = invoke("train", "text-crf", *gold, "--common", "none", "--encoder", "tiny", "--epochs", 1, "--device",
                  "cpu", "--out", tmp_path / "all")  # fmt: skip
    assert done.exit_code == 0, done.output
    record = json.loads(table(trained, "--text-crf", tmp_path / "all", "--format", "json").stdout)
    (row,) = [each for each in record["rows"] if each["key"] == "text_crf_gold"]
    assert (row["name"], row["paper"]) == ("text CRF, random init, all", None)


@pytest.mark.parametrize("kind", ["box-crf", "detector"])
def test_detectors_and_taggers_alike_say_what_they_were_trained_on(trained: Path, kind: str) -> None:
    about = read_about(trained / kind)
    # A tagger has no use for the figure without subcaptions, which is in the test.
    tested = 1 if kind == "detector" else 0
    assert {split: len(ids) for split, ids in about.splits.items()} == {"train": 3, "val": 2, "test": tested}
    assert about.split_source == "the records' own, else drawn with seed 0"
    refused = table(trained, f"--{kind}", trained / kind, "--column", "all")
    assert isinstance(refused.exception, AnnotatorError)
    assert about.version in str(refused.exception)
    forced = table(trained, f"--{kind}", trained / kind, "--column", "all", "--force", "--format", "json")
    record = json.loads(forced.stdout)
    told = [each["model"] for each in record["boxes"] if "trained_on" in each]
    told += [each["key"] for each in record["rows"] if "trained_on" in each]
    assert told[0].startswith("detector-" if kind == "detector" else "box_crf_gold")


def test_what_a_checkpoint_began_from_has_learnt_counts_as_its_own(trained: Path, tmp_path: Path) -> None:
    """The second training has other splits: figures that the first one learnt are in its test."""
    figures = trained / "figures.jsonl"
    records = [json.loads(line) for line in figures.read_text("utf-8").splitlines()]
    for record, split in zip(records, ("test", "val", "train", "train", "val", "test"), strict=True):
        record["split"] = split
    (tmp_path / "figures.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    files = (trained / "annotations.jsonl", "--figures", tmp_path / "figures.jsonl", "--images", trained)
    out = tmp_path / "again"
    done = invoke("train", "text-crf", *files, "--start", trained / "text-crf", "--out", out, "--epochs", 1,
                  "--device", "cpu")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "2 figures to validate or test with were learnt by text-crf-" in done.stderr
    splits = read_about(out).splits
    assert [each["figure_id"] in splits["train"] for each in records] == [True, True, True, True, False, False]
    refused = invoke("evaluate", "--table", *files, "--text-crf", out, "--column", "test", "--device", "cpu")
    assert "was trained or validated on 1 figure of test" in str(refused.exception)


def test_span_decoding_is_for_taggers_that_see_the_boxes_and_leaves_the_others_as_they_are(trained: Path) -> None:
    models = ("--text-crf", trained / "text-crf", "--box-crf", trained / "box-crf")
    crf, span = (
        {
            each["key"]: (each["model"], each["f1"])
            for each in json.loads(table(trained, *models, "--format", "json", *more).stdout)["rows"]
        }
        for more in ((), ("--decode", "span"))
    )
    assert crf["text_crf_gold"] == span["text_crf_gold"]
    # Which words either chooses after one epoch is chance; the version says which of them chose.
    assert span["box_crf_gold"][0] == f"{crf['box_crf_gold'][0]}-span"


@pytest.mark.parametrize(
    ("option", "kind", "told"),
    [
        ("--text-crf", "box-crf", 'holds a "box-crf", and a "text-crf" is wanted'),
        ("--box-crf", "nowhere", "nowhere: no such folder"),
        ("--detector", "box-crf", "box-crf"),
    ],
)
def test_a_wrong_checkpoint_is_told_in_one_line(trained: Path, option: str, kind: str, told: str) -> None:
    done = table(trained, option, trained / kind)
    assert isinstance(done.exception, AnnotatorError | FormatError)
    assert told in str(done.exception)


def test_size_and_training_time_of_a_model_of_an_earlier_version_are_unknown(
    trained: Path, tmp_path: Path
) -> None:
    shutil.copytree(trained / "text-crf" / "best", tmp_path / "old")
    config = tmp_path / "old" / "config.json"
    about = json.loads(config.read_text("utf-8"))
    for key in ("parameters", "seconds", "device", "processes", "random_weights"):
        del about[key]
    config.write_text(json.dumps(about), "utf-8")
    done = table(trained, "--text-crf", tmp_path / "old")
    assert done.exit_code == 0, done.output
    assert "parameters and training time unknown (trained by an earlier version)" in done.stdout
    # Its name says by itself that its encoder was a random one.
    assert "text CRF, random init" in done.stdout
    for layout in ("text", "markdown"):
        done = table(trained, "--text-crf", trained / "text-crf", "--format", layout)
        assert re.search(
            r"text-crf-\w+: 0\.\d M parameters, from random weights; trained \d+ s on cpu \(0\.00 GPU", done.stdout
        )


def test_a_figure_without_a_detected_box_scores_zero_and_is_said(trained: Path) -> None:
    models = ("--box-crf", trained / "box-crf", "--detector", trained / "detector")
    done = table(trained, *models, "--threshold", 0.999, "--format", "json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    (row,) = [each for each in record["rows"] if each["key"] == "box_crf_found"]
    assert row["f1"]["val"]["value"] == 0.0
    (note,) = [each for each in record["notes"] if "without a detected box" in each]
    assert note.startswith("3 figures without a detected box")


def test_the_mode_of_the_authors_code_goes_for_metric_and_common_words(trained: Path) -> None:
    models = ("--text-crf", trained / "text-crf", "--format", "json", "--column", "val")
    record = json.loads(table(trained, *models, "--mode", "official-code").stdout)
    assert (record["metric"], record["common"]) == ("official-code", "gold")
    record = json.loads(table(trained, *models).stdout)
    assert (record["metric"], record["common"]) == ("paper", "none")
