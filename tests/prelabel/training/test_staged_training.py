from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from detector_cases import some

from annotator.cli.prelabel.train import command
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise_simulator.figures import drawn_files, write_figures
from prelabel.detectors.panel_maps import PANEL_NET, panel_net_architecture
from prelabel.detectors.panel_net import PanelNet
from prelabel.models.checkpoints import About, load_weights
from prelabel.training.data.examples import Example
from prelabel.training.loop.epochs import Settings, fit
from prelabel.training.loop.optimisers import staged_groups
from prelabel.training.loop.options import Options, recipe_for
from prelabel.training.tasks.staged_detector import StagedDetectorTask, make_task

SIDE = 96
ABOUT = About("detector", "panels", {})
OPTIONS = Options(architecture=PANEL_NET, side=SIDE, batch=2, random_weights=True, workers=1, frozen_epochs=1)
SETTINGS = Settings(lr=1e-3, epochs=3, device="cpu", frozen_epochs=1, warmup=2, grace=10_000)


def a_task(examples: list[Example], *, features: str = "", seed: int = OPTIONS.seed) -> StagedDetectorTask:
    torch.manual_seed(0)
    task = make_task(examples, replace(OPTIONS, features=features, seed=seed), Problems())
    assert isinstance(task, StagedDetectorTask)
    return task


def state_of(folder: Path) -> dict[str, torch.Tensor]:
    net = PanelNet(panel_net_architecture(SIDE))
    load_weights(folder, net)
    return {name: value.clone() for name, value in net.state_dict().items()}


def log_of(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_the_first_stage_trains_the_head_and_the_second_the_upper_blocks_too() -> None:
    net = PanelNet(panel_net_architecture(SIDE))
    net.train_stage(frozen=True)
    assert {name.split(".")[0] for name, each in net.named_parameters() if each.requires_grad} == {"head"}
    net.train_stage(frozen=False)
    learning = {name for name, each in net.backbone.named_parameters() if each.requires_grad}
    assert "blocks.5.depthwise_conv.weight" in learning
    assert not any(".bn" in name or name.startswith(("conv_stem", "bn0", "blocks.4.")) for name in learning)


def test_lower_layers_never_change_and_upper_ones_only_in_the_second_stage(tmp_path: Path) -> None:
    examples = some(tmp_path)
    begun = {name: value.clone() for name, value in a_task(examples).module.state_dict().items()}
    fit(a_task(examples), replace(SETTINGS, epochs=1), tmp_path / "one", about=ABOUT)
    fit(a_task(examples), SETTINGS, tmp_path / "three", about=ABOUT)
    one = torch.load(tmp_path / "one" / "last.pt", weights_only=True)["module"]
    three = torch.load(tmp_path / "three" / "last.pt", weights_only=True)["module"]
    upper = "backbone.blocks.6.project_conv.weight"
    assert torch.equal(one[upper], begun[upper])
    assert not torch.equal(three[upper], begun[upper])
    for name in (
        "backbone.conv_stem.weight",
        "backbone.blocks.4.project_conv.weight",
        "backbone.blocks.9.bn1.weight",
    ):
        assert torch.equal(three[name], begun[name])
    assert not torch.equal(one["head.enter.weight"], begun["head.enter.weight"])


def test_the_rate_falls_in_each_stage_and_starts_again_lower(tmp_path: Path) -> None:
    task = a_task(some(tmp_path, 9))
    settings = replace(SETTINGS, epochs=8, frozen_epochs=4, warmup=0)
    fit(task, settings, tmp_path / "out", about=ABOUT)
    rates = [entry["lr"] for entry in log_of(tmp_path / "out")]
    assert rates[0] == pytest.approx(1e-3)
    assert rates[0] > rates[2] > rates[3]
    assert rates[4] == pytest.approx(4e-4)
    assert rates[4] > rates[6] > rates[7] > 0


def test_the_backbone_learns_more_slowly() -> None:
    net = PanelNet(panel_net_architecture(SIDE))
    groups = staged_groups(net, 1e-3, 0.02)
    assert [(group["lr"], group["weight_decay"]) for group in groups] == [
        (1e-3, 0.02),
        (1e-3, 0.0),
        (2.5e-4, 0.02),
        (2.5e-4, 0.0),
    ]
    assert sum(len(group["params"]) for group in groups) == len(list(net.parameters()))


def test_what_is_saved_is_the_average_of_the_weights(tmp_path: Path) -> None:
    fit(a_task(some(tmp_path)), replace(SETTINGS, epochs=1), tmp_path / "out", about=ABOUT)
    last = torch.load(tmp_path / "out" / "last.pt", weights_only=True)
    saved, name = state_of(tmp_path / "out" / "best"), "head.enter.weight"
    assert torch.equal(saved[name], last["average"][name])
    assert not torch.equal(saved[name], last["module"][name])


@pytest.mark.parametrize("kept", [False, True])
def test_a_resumed_training_ends_with_the_same_weights(tmp_path: Path, kept: bool) -> None:
    examples, features = some(tmp_path), str(tmp_path / "features") if kept else ""
    fit(a_task(examples, features=features), SETTINGS, tmp_path / "whole", about=ABOUT)
    for last in range(1, SETTINGS.epochs + 1):

        def stop(epoch: int, _score: float, last: int = last) -> bool:
            return epoch == last

        fit(a_task(examples, features=features), SETTINGS, tmp_path / "parts", about=ABOUT, stop=stop)
    whole, parts = state_of(tmp_path / "whole" / "best"), state_of(tmp_path / "parts" / "best")
    assert all(torch.equal(value, parts[name]) for name, value in whole.items())
    assert [entry["loss"] for entry in log_of(tmp_path / "whole")] == [
        entry["loss"] for entry in log_of(tmp_path / "parts")
    ]


def test_features_are_kept_once_a_figure_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples, folder = some(tmp_path, 5), tmp_path / "features"
    task = a_task(examples, features=str(folder))
    task.begin_stage(frozen=True)
    list(map(task.loss, task.batches("train", 1, 0)))
    assert len(list(folder.iterdir())) == 4
    again = a_task(examples, features=str(folder))
    again.begin_stage(frozen=True)
    monkeypatch.setattr(again.module.backbone, "lower", None)  # nothing is computed again
    list(map(again.loss, again.batches("train", 1, 0)))
    assert all(seen.features is not None for batch in again.batches("train", 2, 0) for seen in batch)
    again.begin_stage(frozen=False)
    assert all(again.loss(batch) > 0 for batch in again.batches("train", 2, 0))


def test_features_on_disk_are_those_that_the_network_computes(tmp_path: Path) -> None:
    examples = some(tmp_path, 5)
    task, kept = a_task(examples), a_task(examples, features=str(tmp_path / "features"))
    for each in (task, kept):
        each.begin_stage(frozen=True)
    for _ in range(2):
        for one, other in zip(task.batches("train", 0, 0), kept.batches("train", 0, 0), strict=True):
            mine, theirs = task._features(one, torch.device("cpu")), kept._features(other, torch.device("cpu"))
            assert all(torch.allclose(a.float(), b.float(), atol=1e-3) for a, b in zip(mine, theirs, strict=True))


def test_damaged_features_are_computed_again(tmp_path: Path) -> None:
    examples, folder = some(tmp_path, 3), tmp_path / "features"
    task = a_task(examples, features=str(folder))
    task.begin_stage(frozen=True)
    list(map(task.loss, task.batches("train", 1, 0)))
    whole = {file.name: file.read_bytes() for file in folder.iterdir()}
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:100])
    list(map(task.loss, task.batches("train", 1, 0)))
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == whole


def test_another_image_or_seed_has_features_of_its_own(tmp_path: Path) -> None:
    examples, folder = some(tmp_path, 3), tmp_path / "features"
    for seed in (0, 1):
        task = a_task(examples, features=str(folder), seed=seed)
        task.begin_stage(frozen=True)
        list(map(task.loss, task.batches("train", 1, 0)))
    assert len(list(folder.iterdir())) == 4


def test_a_disk_that_is_full_is_one_line(tmp_path: Path) -> None:
    task = a_task(some(tmp_path, 3), features=str(tmp_path / "features"))
    task.begin_stage(frozen=True)
    (tmp_path / "features").rmdir()
    (tmp_path / "features").write_text("in the way")
    with pytest.raises(AnnotatorError, match=r"cannot be written .* leave out --features"):
        list(map(task.loss, task.batches("train", 1, 0)))


def test_a_detector_without_stages_says_so(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match="--frozen-epochs is for panel-net"):
        make_task(some(tmp_path), replace(OPTIONS, architecture="tiny"), Problems())
    plain = make_task(some(tmp_path), replace(OPTIONS, frozen_epochs=0), Problems())
    with pytest.raises(AnnotatorError, match="has no stages; leave out --frozen-epochs"):
        fit(plain, SETTINGS, tmp_path / "out", about=ABOUT)


def test_stages_have_a_recipe_of_their_own() -> None:
    assert recipe_for("detector", OPTIONS).lr > recipe_for("detector", replace(OPTIONS, frozen_epochs=0)).lr


def test_the_command_trains_in_stages_and_resumes(tmp_path: Path) -> None:
    write_figures(drawn_files(16, seed=3, difficulty="easy", processes=1), tmp_path / "drawn")
    arguments = ["detector", str(tmp_path / "drawn" / "annotations.jsonl"), "--out", str(tmp_path / "net")]
    arguments += ["--figures", str(tmp_path / "drawn" / "figures.jsonl"), "--architecture", "panel-net"]
    arguments += ["--random-weights", "--side", "96", "--device", "cpu", "--batch", "4", "--epochs", "2"]
    staged = [*arguments, "--frozen-epochs", "1", "--features", str(tmp_path / "features")]
    done = CliRunner().invoke(command, staged)
    assert done.exit_code == 0, done.output
    assert "2 epochs" in done.output
    assert list((tmp_path / "features").iterdir())
    again = CliRunner().invoke(command, staged)
    assert "resuming after 2 epochs" in again.output
    other = CliRunner().invoke(command, [*arguments, "--frozen-epochs", "2"])
    assert isinstance(other.exception, AnnotatorError)
    assert "frozen_epochs 1 there, 2 now" in str(other.exception)
    alone = CliRunner().invoke(command, [*arguments, "--features", str(tmp_path / "features")])
    assert alone.exit_code == 2
    assert "--features needs --frozen-epochs" in alone.output
