"""`prelabel train` and `prelabel tune` on simulated figures, each kind as small as can be."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result
from medicat_layout import medicat, release, written
from PIL import Image, ImageDraw

from annotator.cli.prelabel import group
from panelwise_simulator.figures import simulated_figures, write_figures
from prelabel.models.checkpoints import read_about
from prelabel.taggers.encoders import read_encoder
from prelabel.training.loop.options import began_random

pytestmark = pytest.mark.slow

TINY = ("--encoder", "tiny", "--device", "cpu", "--epochs", "1")


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def last_weights(folder: Path) -> str:
    """A hash of the weights after the last epoch, bit for bit."""
    state = torch.load(folder / "last.pt", weights_only=True)["module"]
    return sha256(b"".join(key.encode() + each.numpy().tobytes() for key, each in state.items())).hexdigest()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen simulated figures with their truth."""
    folder = tmp_path_factory.mktemp("drawn")
    write_figures(simulated_figures(16, seed=2, difficulty="easy"), folder)
    return folder


def gold(drawn: Path) -> tuple[object, ...]:
    return (drawn / "annotations.jsonl", "--figures", drawn / "figures.jsonl")


@pytest.mark.parametrize("kind", ["text-crf", "box-crf"])
def test_a_tagger_is_trained_and_goes_on_from_where_it_was(kind: str, drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    result = invoke("train", kind, *gold(drawn), "--out", out, *TINY, "--name", "ours")
    assert result.exit_code == 0, result.output
    about = read_about(out, kind=kind)
    assert about.version.startswith("ours-")
    assert f"trained {about.version}, saved in {out / 'best'}: 1 epoch, best: 1" in result.stdout
    assert "figures of" in result.stderr
    assert "kept for the test" in result.stderr
    assert {path.name for path in out.iterdir()} == {"best", "curves.png", "last.pt", "log.jsonl"}
    assert (out / "best" / "encoder" / "config.json").is_file()
    again = invoke("train", kind, *gold(drawn), "--out", out, *TINY[:-1], "2", "--name", "ours")
    assert again.exit_code == 0, again.output
    assert f"{out}: resuming after 1 epoch" in again.stderr
    assert len((out / "log.jsonl").read_text().splitlines()) == 2
    at_once = invoke("train", kind, *gold(drawn), "--out", tmp_path / "whole", *TINY[:-1], "2", "--name", "ours")
    assert at_once.exit_code == 0, at_once.output
    assert last_weights(tmp_path / "whole") == last_weights(out)


def test_a_detector_begins_from_the_shipped_weights(drawn: Path, tmp_path: Path) -> None:
    few = ("--device", "cpu", "--epochs", 1, "--batch", 4, "--lr", 1e-9)
    result = invoke("train", "detector", *gold(drawn), "--out", tmp_path / "own", *few, "--start", "shipped")
    assert result.exit_code == 0, result.output
    about = read_about(tmp_path / "own", kind="detector")
    assert about.architecture["name"] == "panel-net"
    (trained,) = (json.loads(line) for line in (tmp_path / "own" / "log.jsonl").read_text().splitlines())
    assert trained["scores"]["map50"] > 0.8


def test_a_detector_is_trained_on_images(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "detector"
    few = ("--architecture", "tiny", "--device", "cpu", "--epochs", 1, "--batch", 4, "--random-weights")
    result = invoke("train", "detector", *gold(drawn), "--out", out, *few)
    assert result.exit_code == 0, result.output
    about = read_about(out, kind="detector")
    assert "map" in about.scores
    more = (*few[:4], "--epochs", 2, *few[6:])
    for folder in (out, tmp_path / "whole"):
        result = invoke("train", "detector", *gold(drawn), "--out", folder, *more)
        assert result.exit_code == 0, result.output
    assert last_weights(tmp_path / "whole") == last_weights(out)
    assert about.settings["other"]["architecture"] == "tiny"


def test_a_training_begins_from_a_checkpoint(drawn: Path, tmp_path: Path) -> None:
    first = invoke("train", "box-crf", *gold(drawn), "--out", tmp_path / "a", *TINY)
    assert first.exit_code == 0, first.output
    start = ("--start", tmp_path / "a", "--device", "cpu", "--epochs", 1)
    second = invoke("train", "box-crf", *gold(drawn), "--out", tmp_path / "b", *start, "--lr", "1e-9")
    assert second.exit_code == 0, second.output
    about = read_about(tmp_path / "b")
    before = json.loads((tmp_path / "a" / "log.jsonl").read_text())["loss"]
    after = json.loads((tmp_path / "b" / "log.jsonl").read_text())["loss"]
    # At this rate nothing is learnt: that it is better by far was learnt before.
    assert after < 0.9 * before
    assert about.settings["other"]["start"] == read_about(tmp_path / "a").version
    # The first one's encoder was a random one.
    assert about.settings["other"]["random_weights"] is True
    assert about.random_weights is True
    # What is not said is as in the training before.
    assert about.settings["weight_decay"] == read_about(tmp_path / "a").settings["weight_decay"]
    other = invoke("train", "text-crf", *gold(drawn), "--out", tmp_path / "c", *start)
    assert other.exit_code == 1
    assert 'holds a "box-crf", and a "text-crf" is wanted' in str(other.exception)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("text-crf", ("--encoder", "tiny")),
        ("box-crf", ("--encoder", "tiny")),
        ("detector", ("--architecture", "tiny")),
        ("detector", ("--architecture", "panel-net", "--side", 64)),
        ("classifier", ("--random-weights", "--side", 32, "--crop")),
        ("matcher", ("--encoder", "tiny", "--random-weights", "--architecture", "resnet18", "--side", 32)),
    ],
)
def test_a_model_that_began_from_random_weights_stays_so_through_any_number_of_starts(
    kind: str, more: tuple[object, ...], drawn: Path, tmp_path: Path
) -> None:
    abouts = []
    for name, start in (("a", more), ("b", ("--start", tmp_path / "a")), ("c", ("--start", tmp_path / "b"))):
        done = invoke("train", kind, *gold(drawn), "--out", tmp_path / name, "--device", "cpu", "--epochs", 1,
                      "--batch", 4, *start)  # fmt: skip
        assert done.exit_code == 0, done.output
        abouts.append(read_about(tmp_path / name, kind=kind))
    first, _, last = abouts
    assert [about.random_weights for about in abouts] == [True] * 3
    # All else is as in the first training too; the folder of a later start is no name of an encoder.
    assert last.architecture == first.architecture
    assert last.parameters == first.parameters
    assert (last.device, last.gpu_hours) == ("cpu", 0.0)
    assert last.seconds is not None
    assert last.seconds > 0
    # A checkpoint of an earlier version says it by its options alone.
    assert began_random(replace(first, random_weights=None)) or kind == "detector"


def test_a_model_that_began_from_a_trained_encoder_is_not_random(drawn: Path, tmp_path: Path) -> None:
    assert invoke("train", "text-crf", *gold(drawn), "--out", tmp_path / "a", *TINY).exit_code == 0
    encoder = tmp_path / "a" / "best" / "encoder"
    # An encoder of its own: as a folder that transformers reads.
    model = read_encoder(encoder, name="own")
    model.model.save_pretrained(encoder)
    done = invoke("train", "text-crf", *gold(drawn), "--out", tmp_path / "b", "--encoder", encoder, *TINY[2:])
    assert done.exit_code == 0, done.output
    again = invoke(
        "train", "text-crf", *gold(drawn), "--out", tmp_path / "c", "--start", tmp_path / "b", *TINY[2:]
    )
    assert again.exit_code == 0, again.output
    assert [read_about(tmp_path / name).random_weights for name in "bc"] == [False, False]


def test_a_classifier_does_not_begin_from_one_that_knows_other_types(drawn: Path, tmp_path: Path) -> None:
    figures = [json.loads(line) for line in (drawn / "figures.jsonl").read_text("utf-8").splitlines()]
    for name, types in (("a", ("bar", "pie")), ("b", ("bar", "map"))):
        rows = [{**each, "image": str(drawn / each["image"]), "split": "val" if number > 12 else "train",
                 "figure_type": types[number % 2]} for number, each in enumerate(figures)]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    common = ("--device", "cpu", "--epochs", 1)
    done = invoke("train", "classifier", drawn / "annotations.jsonl", "--figures", tmp_path / "a.jsonl", "--out",
                  tmp_path / "a", "--random-weights", "--side", 32, "--target", "type", *common)  # fmt: skip
    assert done.exit_code == 0, done.output
    other = (drawn / "annotations.jsonl", "--figures", tmp_path / "b.jsonl")
    refused = invoke("train", "classifier", *other, "--out", tmp_path / "b", "--start", tmp_path / "a", *common)
    assert refused.exit_code == 1
    assert "knows the types bar, pie, and the figures to train with are of bar, map" in str(refused.exception)
    weights = tmp_path / "a" / "best" / "model.safetensors"
    assert str(weights) in str(refused.exception)
    more = ("--start", weights, "--target", "type", "--side", 32, *common)
    done = invoke("train", "classifier", *other, "--out", tmp_path / "b", *more)
    assert done.exit_code == 0, done.output


def test_patience_does_not_count_on_few_figures_and_a_best_first_epoch_is_a_warning(
    drawn: Path, tmp_path: Path
) -> None:
    still = ("--lr", "1e-9", "--patience", 1, "--epochs", 8, "--device", "cpu")
    first = invoke("train", "box-crf", *gold(drawn), "--out", tmp_path / "a", "--encoder", "tiny", *still)
    assert first.exit_code == 0, first.output
    assert "8 epochs, best: 1" in first.stdout
    again = invoke("train", "box-crf", *gold(drawn), "--out", tmp_path / "b", "--start", tmp_path / "a", *still)
    assert again.exit_code == 0, again.output
    assert "8 epochs, best: 1" in again.stdout
    for result in (first, again):
        assert "warning: " in result.stderr
        assert "the first of 8 epochs was the best" in result.stderr or "no better than" in result.stderr


def test_a_search_feeds_a_training(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "search"
    result = invoke("tune", "box-crf", *gold(drawn), "--out", out, "--trials", 2, *TINY)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[1] for line in lines[:2]] == ["trial", "trial"]
    assert lines[2] == f"best settings: {out / 'best.json'}, checkpoint: {out / 'best'}"
    chosen = json.loads((out / "best.json").read_text())["settings"]
    trained = invoke(
        *("train", "box-crf", *gold(drawn), "--trial", out / "best.json", "--out", tmp_path / "model", *TINY),
        *("--dropout", "0.25"),
    )
    assert trained.exit_code == 0, trained.output
    settings = read_about(tmp_path / "model").settings
    assert (settings["lr"], settings["weight_decay"]) == (chosen["lr"], chosen["weight_decay"])
    assert settings["other"]["dropout"] == 0.25


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the dataset is given out: annotations, split keys, release, and figures."""
    folder = tmp_path_factory.mktemp("dataset")
    (folder / "figures").mkdir()
    for number in range(9):
        picture = Image.new("RGB", (100, 40), "white")
        ImageDraw.Draw(picture).rectangle((2, 2, 38, 38), fill=(20 * number, 60, 60))
        ImageDraw.Draw(picture).rectangle((52, 2, 98, 38), fill=(60, 20 * number, 60))
        picture.save(folder / "figures" / f"hash{number}_1-Figure1-1.png")
    written(folder / "subcaptions_public.jsonl", *(medicat(number) for number in range(9)))
    bare = [medicat(n, subfigures=medicat(n)["spans"], spans=..., answer=..., subcaptions=None) for n in range(9)]
    written(folder / "boxes.jsonl", *bare)
    written(folder / "release.jsonl", *(release(number) for number in range(9)))
    keys = [{"pdf_hash": f"hash{number}", "fig_key": "Figure1"} for number in range(9)]
    splits = {"train": keys[:5], "val": keys[5:7], "test": keys[7:]}
    (folder / "subcaption_split_keys.json").write_text(json.dumps(splits))
    return folder


def test_the_datasets_own_files_train_a_tagger(dataset: Path, tmp_path: Path) -> None:
    files = (dataset / "subcaptions_public.jsonl", "--split-keys", dataset / "subcaption_split_keys.json")
    result = invoke("train", "text-crf", *files, "--out", tmp_path / "m", *TINY)
    assert result.exit_code == 0, result.output
    assert "9 figures of 9 articles: 5 to train, 2 to validate, 2 kept for the test" in result.stderr
    assert read_about(tmp_path / "m").kind == "text-crf"


def test_the_datasets_boxes_and_figures_folder_train_a_detector(dataset: Path, tmp_path: Path) -> None:
    files = (dataset / "boxes.jsonl", "--split-keys", dataset / "subcaption_split_keys.json")
    more = ("--figures", dataset / "release.jsonl", "--images", dataset / "figures")
    few = ("--architecture", "tiny", "--device", "cpu", "--epochs", 1, "--batch", 4)
    result = invoke("train", "detector", *files, *more, "--out", tmp_path / "m", *few)
    assert result.exit_code == 0, result.output
    assert "5 to train, 2 to validate, 2 kept for the test" in result.stderr
    assert read_about(tmp_path / "m").kind == "detector"
    tagger = invoke("train", "box-crf", *files, "--out", tmp_path / "t", *TINY)
    assert tagger.exit_code == 1
    assert "none of 9 figures has a subcaption" in str(tagger.exception)


def test_gold_without_subcaptions_is_one_line(drawn: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.jsonl"
    records = [json.loads(line) for line in (drawn / "annotations.jsonl").read_text().splitlines()]
    for record in records:
        for subfigure in record["subfigures"]:
            subfigure["subcaption"] = []
    bare.write_text("".join(json.dumps(record) + "\n" for record in records))
    result = invoke("train", "box-crf", bare, "--out", tmp_path / "m", *TINY)
    assert result.exit_code == 1
    assert "none of 16 figures has a subcaption; train a detector on this gold" in str(result.exception)
    assert not (tmp_path / "m").exists()


def test_missing_images_are_named_by_source_counted_and_the_end(drawn: Path, tmp_path: Path) -> None:
    result = invoke("train", "detector", *gold(drawn), "--images", tmp_path, "--out", tmp_path / "m")
    assert result.exit_code == 1
    lines = [line for line in result.stderr.splitlines() if "no such image; left it out" in line]
    more = [int(number) for number in re.findall(r"\(and (\d+) more like this\)", "\n".join(lines))]
    assert len(lines) + sum(more) == 16
    assert len(lines) < 16
    assert "no figure's image is there; name their folder with --images" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("text-crf", "--architecture", "resnet50"), "--architecture is for detector, classifier and matcher,"),
        (("detector", "--encoder", "tiny"), "--encoder is for text-crf, box-crf and matcher, not for detector"),
        (
            ("detector", "--dropout", "0.1"),
            "--dropout is for text-crf, box-crf, classifier and matcher, not for detector",
        ),
        (("text-crf", "--decode", "span"), "--decode is for box-crf, not for text-crf; leave it out"),
        (("frobnicator",), "'frobnicator' is not one of"),
    ],
)
def test_options_of_another_kind_are_wrong_usage(
    arguments: tuple[str, ...], said: str, drawn: Path, tmp_path: Path
) -> None:
    kind, *more = arguments
    result = invoke("train", kind, *gold(drawn), "--out", tmp_path / "m", *more)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("name", "complaint"), [("a\nb", "contains control characters"), ("x" * 5000, "more than 100 characters")]
)
def test_a_name_that_predictions_cannot_have_is_refused_first(name: str, complaint: str, tmp_path: Path) -> None:
    result = invoke("train", "text-crf", tmp_path / "gold.jsonl", "--out", tmp_path / "model", "--name", name)
    assert complaint in str(result.exception)


def test_a_device_that_is_not_there_is_one_line(drawn: Path, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "m", "--encoder", "tiny")
    result = invoke("train", "box-crf", *gold(drawn), *out, "--device", "gpu")
    assert result.exit_code == 1
    assert 'no device "gpu"; give auto, cpu, cuda or cuda:1' in str(result.exception)


def test_it_is_told_before_weights_are_fetched(
    drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr("prelabel.detectors.faster_rcnn._fetched", fetched.append)
    arguments = ("--images", drawn, "--out", tmp_path / "m", "--device", "gpu")
    result = invoke("train", "detector", *gold(drawn), *arguments)
    assert 'no device "gpu"' in str(result.exception)
    assert fetched == []
