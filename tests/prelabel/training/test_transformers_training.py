"""Detectors of transformers, trained as torchvision's are: random weights of a few thousand, made here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from detector_cases import a_detr, a_yolos, an_image, an_rf_detr, an_rt_detr, some, two_panels

from annotator.cli.prelabel import group
from annotator.demo.figures import FIGURES, write_sample
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from prelabel.detectors.batched import BatchedDetector
from prelabel.models.checkpoints import About, read_about
from prelabel.runs.opening import open_detector
from prelabel.training.data.splits import Split
from prelabel.training.loop.epochs import Settings, fit
from prelabel.training.loop.optimisers import parameter_groups
from prelabel.training.loop.options import Options
from prelabel.training.tasks.detector import DetectorTask, make_task

MADE: dict[str, Callable[[Path], Path]] = {
    "dab-detr": a_detr,
    "rt-detr": an_rt_detr,
    "rf-detr": an_rf_detr,
    "yolos": a_yolos,
}
ABOUT = About("detector", "panels", {})
SETTINGS = Settings(lr=1e-3, epochs=2, device="cpu", clip=1.0)


def a_task(folder: Path, kind: str = "rt-detr", **options: object) -> DetectorTask:
    model = folder / kind
    if not model.exists():
        MADE[kind](model)
    torch.manual_seed(0)
    given = Options(architecture=str(model), batch=2, workers=1, **options)  # type: ignore[arg-type]
    return make_task(some(folder, 4), given, Problems())


@pytest.mark.parametrize("kind", MADE)
def test_each_family_learns_a_step_and_is_scored(tmp_path: Path, kind: str) -> None:
    task = a_task(tmp_path, kind)
    before = {name: each.clone() for name, each in task.module.state_dict().items()}
    optimiser = torch.optim.AdamW(parameter_groups(task.module, 1e-3, 0.1), lr=1e-3)
    task.module.train()
    loss = task.loss(next(iter(task.batches("train", 1, 0))))
    loss.backward()
    optimiser.step()
    assert torch.isfinite(loss)
    assert loss > 0
    changed = {name for name, each in task.module.state_dict().items() if not torch.equal(each, before[name])}
    assert any("class" in name for name in changed)
    assert any("bbox" in name for name in changed)
    assert any("backbone" in name or "vit" in name for name in changed)
    assert 0.0 <= task.validate()["map"] <= 1.0
    assert task.module.training


@pytest.mark.parametrize("kind", MADE)
def test_a_network_is_taught_boxes_as_it_is_understood_to_predict_them(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were its predictions what it is taught, each panel would be found where the gold has it."""
    task = a_task(tmp_path, kind)
    net, taught = task.module.net, []

    def loss(*, labels: list[dict[str, torch.Tensor]], pixel_values: torch.Tensor, **_more: object) -> object:
        taught.extend(labels)
        return type("Output", (), {"loss": pixel_values.sum()})

    monkeypatch.setattr(net, "forward", loss)
    task.module.train()
    example = two_panels(tmp_path, "f", Split.TRAIN)
    items = task._images.read(example)
    (batch,) = [
        each
        for each in DetectorTask(
            task.module, [example, replace(example, split=Split.VAL)], Problems(), flip=False
        ).batches("train", 1, 0)
    ]
    task.loss(batch)
    (label,) = taught
    assert label["class_labels"].tolist() == [0, 0]

    def trained(*, pixel_values: torch.Tensor, **_more: object) -> object:
        classes = net.config.num_labels + (kind == "yolos")
        logits = torch.full((1, 2, classes), -9.0)
        logits[..., 0] = 9.0
        return type("Output", (), {"logits": logits, "pred_boxes": label["boxes"][None]})

    monkeypatch.setattr(net, "forward", trained)
    detector = BatchedDetector(task.module, version="", device=torch.device("cpu"))
    (found,) = detector.predict([items])
    order = np.argsort(found.boxes[:, 0])
    assert np.allclose(found.boxes[order], [[8, 8, 92, 52], [108, 68, 192, 112]], atol=0.01)


def test_a_training_that_was_broken_off_ends_with_the_same_weights_and_a_checkpoint_that_opens(
    tmp_path: Path,
) -> None:
    whole = fit(a_task(tmp_path), SETTINGS, tmp_path / "whole", about=ABOUT)
    fit(a_task(tmp_path), replace(SETTINGS, epochs=1), tmp_path / "parts", about=ABOUT)
    task = a_task(tmp_path)
    parts = fit(task, SETTINGS, tmp_path / "parts", about=ABOUT)
    assert parts.epochs == 2
    last = [torch.load(tmp_path / name / "last.pt", weights_only=True)["module"] for name in ("whole", "parts")]
    assert all(torch.equal(value, last[1][key]) for key, value in last[0].items())
    assert (whole.scores, whole.about.version) == (parts.scores, parts.about.version)
    about = read_about(tmp_path / "parts")
    assert about.architecture["name"] == "transformers"
    assert str(tmp_path) not in str(about.architecture)
    # A checkpoint needs nothing but itself.
    (tmp_path / "rt-detr").rename(tmp_path / "elsewhere")
    opened = open_detector(tmp_path / "parts", device="cpu", threshold=0.0)
    assert opened.version == parts.about.version
    images = [an_image(1), an_image(2, (300, 400))]
    assert all(len(each) for each in opened.detect(images))
    if parts.best == 2:
        trained = BatchedDetector(task.module, version="", device=torch.device("cpu"), threshold=0.0)
        for one, other in zip(opened.detect(images), trained.detect(images), strict=True):
            assert np.allclose(one.scores, other.scores, atol=1e-5)
            assert np.allclose(one.boxes, other.boxes, atol=0.01)


def test_weights_that_others_trained_are_kept_but_for_the_classes(tmp_path: Path) -> None:
    from transformers import AutoModelForObjectDetection

    theirs = AutoModelForObjectDetection.from_pretrained(an_rt_detr(tmp_path / "rt-detr", labels=3)).state_dict()
    task = a_task(tmp_path)
    assert task.module.net.config.num_labels == 1
    ours = task.module.net.state_dict()
    other = {name for name, each in theirs.items() if ours[name].shape != each.shape}
    assert other
    assert all("class" in name or "score" in name for name in other)
    assert all(torch.equal(ours[name], each) for name, each in theirs.items() if name not in other)
    random = a_task(tmp_path, random_weights=True).module.net.state_dict()
    assert not all(torch.equal(random[name], each) for name, each in theirs.items() if name not in other)


def test_the_side_of_images_can_be_chosen_and_stays_in_the_checkpoint(tmp_path: Path) -> None:
    task = a_task(tmp_path, side=64)
    assert task.module.sizing.exact == (64, 64)
    fit(task, replace(SETTINGS, epochs=1), tmp_path / "out", about=ABOUT)
    assert open_detector(tmp_path / "out", device="cpu").sizing == task.module.sizing
    again = make_task(some(tmp_path, 2), Options(architecture=str(tmp_path / "out")), Problems())
    assert again.module.sizing == task.module.sizing
    scaled = a_task(tmp_path, "dab-detr", side=80).module.sizing
    assert (scaled.shorter, scaled.longer) == (48, 80)


def test_predictions_that_are_no_numbers_are_a_step_to_skip(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    with torch.no_grad():
        next(task.module.net.model.decoder.bbox_embed[0].parameters()).fill_(float("nan"))
    before = {name: each.detach().clone() for name, each in task.module.named_parameters()}
    with pytest.raises(AnnotatorError, match="the loss of epoch 1 is no number any more"):
        fit(task, SETTINGS, tmp_path / "out", about=ABOUT)
    for name, each in task.module.named_parameters():
        assert torch.equal(each.nan_to_num(), before[name].nan_to_num())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (Options(architecture="nobody/no-such-model"), "no model of that name could be fetched"),
        (Options(architecture="./nowhere"), "no such folder; name a folder, or a model on the hub"),
        (Options(architecture="{}/rt-detr", weights="w.pt"), "--start FILE is for torchvision's detectors"),
    ],
)
def test_a_network_that_cannot_be_had_is_told_in_one_line(tmp_path: Path, options: Options, told: str) -> None:
    an_rt_detr(tmp_path / "rt-detr")
    named = replace(options, architecture=options.architecture.format(tmp_path))
    with pytest.raises(AnnotatorError, match=told) as caught:
        make_task(some(tmp_path, 2), named, Problems())
    assert "\n" not in str(caught.value)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.mark.slow
def test_a_trained_one_is_run_scored_marked_and_begun_from_as_any_detector(tmp_path: Path) -> None:
    write_sample(FIGURES, tmp_path)
    files = (tmp_path / "annotations.jsonl", "--figures", tmp_path / "figures.jsonl")
    train = ("train", "detector", *files, "--device", "cpu", "--epochs", 1, "--workers", 1)
    out, next_one = tmp_path / "model", tmp_path / "next"
    first = invoke(*train, "--architecture", an_rt_detr(tmp_path / "rt-detr"), "--out", out, "--lr", 1e-4)
    assert first.exit_code == 0, first.output
    about = read_about(out)
    assert f"trained {about.version}, saved in" in first.stdout
    again = invoke(*train, "--start", out, "--out", next_one)
    assert again.exit_code == 0, again.output
    assert read_about(next_one).architecture == about.architecture
    assert read_about(next_one).settings["lr"] == 1e-4

    model = ("--detector", out, "--device", "cpu", "--threshold", 0)
    done = invoke("run", tmp_path / "figures.jsonl", *model, "--out", tmp_path / "predictions.jsonl")
    assert done.exit_code == 0, done.output
    predictions = [json.loads(line) for line in (tmp_path / "predictions.jsonl").read_text("utf-8").splitlines()]
    assert {each["annotator"].split("@")[0] for each in predictions} == {about.version}
    assert all(each["subfigures"] for each in predictions)

    table = ("evaluate", "--table", *files, *model, "--processes", 1, "--bootstrap", 0, "--format", "json")
    scored = invoke(*table, "--column", "test")
    assert scored.exit_code == 0, scored.output
    assert not any("trained_on" in each for each in json.loads(scored.stdout)["boxes"])
    refused = invoke(*table, "--column", "all")
    assert f"{about.version} was trained or validated on" in str(refused.exception)
    forced = json.loads(invoke(*table, "--column", "all", "--force").stdout)
    assert [each["model"] for each in forced["boxes"] if "trained_on" in each] == [about.version]
