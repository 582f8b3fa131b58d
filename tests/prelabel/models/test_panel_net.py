from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from detector_cases import CPU, an_image, some

from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from prelabel.detectors.batched import BatchedDetector, network_of, with_longer
from prelabel.detectors.onnx_panel_net import OnnxPanelNet
from prelabel.detectors.panel_maps import PANEL_NET, panel_net_architecture
from prelabel.detectors.panel_net import (
    CHANNELS,
    EfficientNetLite0,
    PanelNet,
    backbone_state,
    boxes_of,
    load_backbone,
    losses,
)
from prelabel.models.checkpoints import About, save_checkpoint
from prelabel.models.sizing import Sizing
from prelabel.runs.figure_model import FigureModel, Opened
from prelabel.runs.opening import Recipe, _runs_by_onnxruntime, open_detector
from prelabel.training.loop.epochs import Settings, fit
from prelabel.training.loop.options import Options
from prelabel.training.tasks.detector import DetectorTask, make_task

SIDE = 96


def a_net(*, seed: int = 0, longest: int = SIDE) -> PanelNet:
    """Random weights, with scores that differ: fresh ones give every cell the same."""
    torch.manual_seed(seed)
    net = PanelNet(panel_net_architecture(longest))
    with torch.no_grad():
        net.head.maps.weight.normal_(0, 0.2)
    return net


def a_detector(net: PanelNet, *, batch: int = 4) -> BatchedDetector:
    return BatchedDetector(net, version="random", device=CPU, threshold=0.01, batch=batch)


def drawn(boxes: list[list[float]], side: int = SIDE) -> torch.Tensor:
    """Maps of a network that is sure of these boxes, in pixels: of each the cell of its middle answers."""
    cells = side // 16
    maps = torch.full((8, cells, cells), -8.0)
    maps[5:] = 0.0
    for x0, y0, x1, y1 in boxes:
        column, row = int((x0 + x1) / 2 / 16), int((y0 + y1) / 2 / 16)
        x, y = (column + 0.5) * 16, (row + 0.5) * 16
        maps[0, row, column] = 6.0
        maps[1:5, row, column] = (torch.tensor([x - x0, y - y0, x1 - x, y1 - y]) / side).log()
    return maps


def test_the_backbone_halves_three_four_and_five_times() -> None:
    features = EfficientNetLite0().eval()(torch.zeros(2, 3, 64, 96))
    shapes = [tuple(each.shape) for each in features]
    assert shapes == [
        (2, channels, 64 // stride, 96 // stride) for channels, stride in zip(CHANNELS, (8, 16, 32), strict=True)
    ]


def test_published_weights_load_by_their_names(tmp_path: Path) -> None:
    torch.manual_seed(1)
    state = EfficientNetLite0().state_dict()
    published = {
        ".".join(f"_{part}" if number == 0 or part.endswith(("conv", "bn0", "bn1", "bn2")) else part
                 for number, part in enumerate(key.split("."))): value
        for key, value in state.items()
    }  # fmt: skip
    assert "_blocks.1._expand_conv.weight" in published
    published["_fc.weight"] = torch.zeros(10, 1280)
    assert backbone_state(published).keys() == state.keys()
    torch.save(published, tmp_path / "lite0.pth")
    net = a_net()
    load_backbone(net, tmp_path / "lite0.pth")
    assert all(torch.equal(value, state[key]) for key, value in net.backbone.state_dict().items())


def test_a_whole_network_loads_and_other_weights_are_refused(tmp_path: Path) -> None:
    first, second = a_net(seed=1), a_net(seed=2)
    torch.save(first.state_dict(), tmp_path / "net.pth")
    load_backbone(second, tmp_path / "net.pth")
    assert all(torch.equal(one, other) for one, other in zip(first.parameters(), second.parameters(), strict=True))
    torch.save({"layer.weight": torch.zeros(3)}, tmp_path / "other.pth")
    with pytest.raises(FormatError, match="fit neither EfficientNet-Lite0 nor panel-net"):
        load_backbone(second, tmp_path / "other.pth")


def test_batch_statistics_stay_in_training() -> None:
    net = a_net().train()
    before = net.backbone.bn0.running_mean.clone()
    net.backbone(torch.rand(2, 3, 64, 64))
    assert torch.equal(net.backbone.bn0.running_mean, before)
    assert net.head.training


def test_distances_are_read_as_boxes() -> None:
    net, boxes = a_net(), [[0.0, 0.0, 46.0, 96.0], [50.0, 10.0, 96.0, 90.0]]
    found = net._detections(drawn(boxes), (SIDE, SIDE))
    assert np.allclose(sorted(found["boxes"].tolist()), boxes, atol=0.05)
    assert found["scores"].min() > 0.99


def test_the_loss_is_least_where_the_maps_are_right() -> None:
    boxes = [[0.0, 0.0, 46.0, 96.0], [50.0, 10.0, 96.0, 90.0]]
    counted = torch.zeros(1, 42)
    right = losses(drawn(boxes)[None], counted, [torch.tensor(boxes)], (SIDE, SIDE))
    moved = [[x0, y0 + 20, x1, min(96.0, y1 + 20)] for x0, y0, x1, y1 in boxes]
    wrong = losses(drawn(moved)[None], counted, [torch.tensor(boxes)], (SIDE, SIDE))
    assert right.keys() == {"score", "box", "beside", "count"}
    assert right["score"] < wrong["score"]


def test_the_loss_of_a_figure_without_boxes_is_finite() -> None:
    found = losses(torch.zeros(1, 8, 6, 6), torch.zeros(1, 42), [torch.zeros(0, 4)], (SIDE, SIDE))
    assert all(torch.isfinite(each) for each in found.values())
    assert found["box"] == 0.0


def test_a_panel_smaller_than_a_cell_is_still_learnt() -> None:
    maps = torch.zeros(1, 8, 6, 6, requires_grad=True)
    losses(maps, torch.zeros(1, 42), [torch.tensor([[33.0, 33.0, 35.0, 36.0]])], (SIDE, SIDE))["box"].backward()
    assert (maps.grad[0, 1:5].abs().sum(0) > 0).sum() == 1


def test_boxes_are_shares_of_the_image() -> None:
    corners = boxes_of(torch.full((4, 2, 4), float(np.log(0.25))), (32, 64))
    assert torch.allclose(corners[:, 0, 0], torch.tensor([0.125 - 0.25, 0.25 - 0.25, 0.125 + 0.25, 0.25 + 0.25]))


@pytest.mark.parametrize("batch", [1, 3])
def test_an_image_is_found_the_same_in_any_batch(batch: int) -> None:
    net = a_net()
    images = [an_image(seed, size) for seed, size in enumerate([(400, 300), (300, 400), (400, 300), (90, 400)])]
    alone = [a_detector(net).detect([image])[0] for image in images]
    together = a_detector(net, batch=batch).detect(images)
    for one, other in zip(alone, together, strict=True):
        assert len(one) == len(other) > 0
        assert np.allclose(one.boxes, other.boxes, atol=0.05)


def test_the_captions_number_of_panels_is_an_input() -> None:
    detector = a_detector(a_net())
    item = detector.prepare(an_image(0))
    told = detector.with_caption(item, Caption.cut("Lungs. (A) Left. (B) Right. (C) Both."))
    assert (item.count, told.count) == (0, 3)
    without, with_three = detector.predict([item, told])
    assert not np.array_equal(without.scores, with_three.scores)
    many = replace(item, count=500)
    assert len(detector.predict([many])) == 1


def test_a_run_gives_the_network_the_number_in_the_caption(tmp_path: Path) -> None:
    an_image(0).save(tmp_path / "lungs.png")
    captions = ("", "Lungs. (A) Left. (B) Right. (C) Both.")
    figures = [Figure(str(n), "lungs.png", 400, 300, Caption.cut(text)) for n, text in enumerate(captions)]
    model = FigureModel(Recipe(threshold=0.01), detector=a_detector(a_net()))
    opened = [model.opened((figure, tmp_path / "lungs.png")) for figure in figures]
    assert [each.prepared.count for each in opened if isinstance(each, Opened) and each.prepared] == [0, 3]
    first, second = model.done(opened)
    assert isinstance(first, Prediction)
    assert isinstance(second, Prediction)
    assert [each.box for each in first.subfigures] != [each.box for each in second.subfigures] or (
        first.scores != second.scores
    )


def test_images_fill_their_canvas() -> None:
    sizing = Sizing(384, 384, 32, snapped=True)
    for size in ((400, 300), (1000, 30), (30, 1000), (1, 1), (384, 384)):
        scaled = sizing.scaled(*size)
        assert scaled == sizing.canvas(*scaled)
        assert all(side % 32 == 0 and 32 <= side <= 384 for side in scaled)


def test_it_is_trained_and_opened_by_the_same_loop_as_the_others(tmp_path: Path) -> None:
    task = make_task_of(tmp_path)
    assert isinstance(task.module, PanelNet)
    found = fit(task, Settings(lr=1e-3, epochs=2, device="cpu", clip=10.0), tmp_path / "out", about=ABOUT)
    assert found.scores.keys() == {"map", "map50", "map75", "recall"}
    detector = open_detector(tmp_path / "out", device="cpu", threshold=0.0)
    assert detector.counted
    assert len(detector.detect([an_image(1)])) == 1


ABOUT = About("detector", "panels", {})


def make_task_of(folder: Path) -> DetectorTask:
    torch.manual_seed(0)
    options = Options(architecture=PANEL_NET, side=SIDE, batch=2, random_weights=True, workers=1)
    return make_task(some(folder), options, Problems())


def test_batches_are_of_one_canvas(tmp_path: Path) -> None:
    for batch in make_task_of(tmp_path).batches("train", 1, 0):
        assert len({item.canvas for item in batch.items}) == 1
        assert all(item.scaled == item.canvas for item in batch.items)


@pytest.mark.parametrize("size", [(400, 300), (300, 400), (900, 80), (33, 34)])
def test_a_checkpoint_runs_by_onnxruntime_as_by_torch(tmp_path: Path, size: tuple[int, int]) -> None:
    """The graph in the package is the network's, for images of any size."""
    net = a_net()
    save_checkpoint(tmp_path / "net", net, About("detector", "own", net.architecture))
    by_onnxruntime = open_detector(tmp_path / "net", threshold=0.01)
    assert isinstance(by_onnxruntime, OnnxPanelNet)
    by_torch = a_detector(net)
    for count in (0, 3):
        item = replace(by_torch.prepare(an_image(0, size)), count=count)
        (one,), (other,) = by_onnxruntime.predict([item]), by_torch.predict([item])
        assert len(one) == len(other) > 0
        assert np.allclose(one.boxes, other.boxes, atol=0.05)
        assert np.allclose(one.scores, other.scores, atol=1e-4)


def test_a_gpu_is_for_torch(tmp_path: Path) -> None:
    net = a_net()
    about = save_checkpoint(tmp_path / "net", net, About("detector", "own", net.architecture))
    assert isinstance(open_detector(tmp_path / "net", device="cpu"), OnnxPanelNet)
    assert not _runs_by_onnxruntime(about, "cuda")


def test_an_architecture_without_a_size_is_refused() -> None:
    for longer in (None, "384", 10):
        with pytest.raises(FormatError, match="incomplete"):
            network_of({"name": PANEL_NET, "longer": longer})
    assert with_longer(panel_net_architecture(), 256) == panel_net_architecture(256)


def test_a_start_that_is_missing_is_named(tmp_path: Path) -> None:
    options = Options(architecture=PANEL_NET, side=SIDE, weights=str(tmp_path / "none.pth"))
    with pytest.raises(AnnotatorError, match=r"none\.pth: no such file"):
        make_task(some(tmp_path), options, Problems())
