from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from detector_cases import an_image, some, two_panels

from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Problems
from panelwise_simulator.figures import simulated_figures
from prelabel.detectors.faster_rcnn import MOBILENET_320, RESNET50, TINY, FasterRcnn, architecture_of
from prelabel.models.checkpoints import About
from prelabel.runs.opening import open_detector
from prelabel.training.data import examples
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.loop.epochs import Settings, fit
from prelabel.training.loop.optimisers import parameter_groups
from prelabel.training.loop.options import Options
from prelabel.training.tasks import detector as training
from prelabel.training.tasks.detector import DetectorTask, make_task

ABOUT = About("detector", "panels", {})


def drawn_examples(
    folder: Path, count: int, *, difficulty: str = "easy", seed: int = 5, splits: Sequence[Split] = tuple(Split)
) -> list[Example]:
    """Simulated figures, each in every one of the splits."""
    examples = []
    for drawn in simulated_figures(count, seed=seed, difficulty=difficulty):
        path = folder / drawn.image_name
        path.write_bytes(drawn.encoded())
        figure = drawn.figure()
        truth = drawn.truth(figure).subfigures
        examples += [Example(figure, path, truth, split) for split in splits]
    return examples


def a_task(examples: Sequence[Example], *, name: str = TINY, batch: int = 4, flip: bool = False) -> DetectorTask:
    torch.manual_seed(0)
    return DetectorTask(FasterRcnn(architecture_of(name)), examples, Problems(), batch=batch, flip=flip, workers=1)


def test_every_figure_of_a_split_comes_once_an_epoch_and_in_another_order_in_the_next(tmp_path: Path) -> None:
    task = a_task(some(tmp_path, 10), batch=2)

    def order(epoch: int, seed: int) -> list[int]:
        return [item.pixels.tobytes().__hash__() for b in task.batches("train", epoch, seed) for item in b.items]

    first = order(1, 0)
    assert len(first) == len(set(first)) == 9
    assert order(1, 0) == first
    assert sorted(order(2, 0)) == sorted(order(1, 3)) == sorted(first)
    assert order(2, 0) != first
    assert order(1, 3) != first


def test_boxes_go_with_the_scaled_image_also_where_the_figure_has_another_size(tmp_path: Path) -> None:
    examples = [two_panels(tmp_path, "f", Split.TRAIN, scale=2.5), two_panels(tmp_path, "g", Split.VAL)]
    (batch,) = a_task(examples).batches("train", 1, 0)
    assert batch.items[0].scaled == (213, 128)
    expected = np.array([[8, 8, 92, 52], [108, 68, 192, 112]]) * ([213 / 200, 128 / 120] * 2)
    assert np.allclose(batch.boxes[0], expected, atol=1e-4)


def test_a_mirrored_figure_has_its_boxes_mirrored(tmp_path: Path) -> None:
    task = a_task(some(tmp_path, 9), batch=8, flip=True)
    seen = set()
    for epoch in range(3):
        for batch in task.batches("train", epoch, 0):
            for item, boxes in zip(batch.items, batch.boxes, strict=True):
                # Wherever a told panel lies, its middle is dark and the strip between panels is white.
                for x0, y0, x1, y1 in boxes.round().astype(int).tolist():
                    assert item.pixels[(y0 + y1) // 2, (x0 + x1) // 2].min() < 255
                    assert item.pixels[y0 + 20, min(x1 + 5, 212)].min() > 240
                seen.add(tuple(boxes[:, 0].round().tolist()))
    assert seen == {(9.0, 115.0), (115.0, 9.0)}
    for batch in task.batches("val", 1, 0):
        assert batch.boxes[0][0, 0] == pytest.approx(8 * 213 / 200)


def test_training_lowers_the_loss_and_leaves_a_detector_that_opens(tmp_path: Path) -> None:
    task = a_task(some(tmp_path))
    found = fit(task, Settings(lr=2e-3, epochs=3, device="cpu", clip=10.0), tmp_path / "out", about=ABOUT)
    assert found.scores.keys() == {"map", "map50", "map75", "recall"}
    log = (tmp_path / "out" / "log.jsonl").read_text().splitlines()
    losses = [float(line.split('"loss":')[1].split(",")[0]) for line in log]
    assert losses[-1] < losses[0]
    detector = open_detector(tmp_path / "out", device="cpu", threshold=0.0)
    assert detector.version == found.about.version
    assert len(detector.detect([an_image(1)])) == 1


@pytest.mark.parametrize("name", [MOBILENET_320, pytest.param(RESNET50, marks=pytest.mark.soak)])
def test_torchvisions_networks_learn_a_step(tmp_path: Path, name: str) -> None:
    torch.manual_seed(0)
    module = FasterRcnn(architecture_of(name, shorter=96))
    task = DetectorTask(module, some(tmp_path, 3), Problems(), batch=2, workers=1)
    optimiser = torch.optim.AdamW(parameter_groups(task.module, 1e-4, 0.1), lr=1e-4)
    before = [each.detach().clone() for each in task.module.net.roi_heads.box_predictor.parameters()]
    task.module.train()
    loss = task.loss(next(iter(task.batches("train", 1, 0))))
    loss.backward()
    optimiser.step()
    assert torch.isfinite(loss)
    after = task.module.net.roi_heads.box_predictor.parameters()
    assert not any(torch.equal(one, other) for one, other in zip(before, after, strict=True))
    assert 0.0 <= task.validate()["map"] <= 1.0
    assert task.module.training


def test_the_score_is_that_of_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prelabel.detectors.batched import BatchedDetector
    from prelabel.models.protocols import Detections

    examples = [two_panels(tmp_path, "f", Split.TRAIN), two_panels(tmp_path, "g", Split.VAL, scale=3.0)]
    task = a_task(examples)
    # In pixels of the image; the figure has three times as many.
    right = Detections.of([[8, 8, 92, 52], [108, 68, 192, 112]], [0.9, 0.8], [1, 1])
    monkeypatch.setattr(BatchedDetector, "predict", lambda _self, items: [right] * len(items))
    assert task.validate() == {"map": 1.0, "map50": 1.0, "map75": 1.0, "recall": 1.0}
    monkeypatch.setattr(BatchedDetector, "predict", lambda _self, items: [Detections.none()] * len(items))
    assert task.validate() == {"map": 0.0, "map50": 0.0, "map75": 0.0, "recall": 0.0}


def test_without_what_counts_average_precision_it_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_args: object) -> None:
        raise ModuleNotFoundError("hotcoco")

    from prelabel.detectors.batched import BatchedDetector
    from prelabel.models.protocols import Detections

    found = Detections.of([[8, 8, 92, 52], [108, 68, 192, 112]], [0.9, 0.8], [1, 1])
    monkeypatch.setattr(BatchedDetector, "predict", lambda _self, items: [found] * len(items))
    monkeypatch.setattr("agreement.models.average_precision._evaluated", missing)
    with pytest.raises(AnnotatorError, match=r"install \"panelwise\[coco\]\""):
        a_task(some(tmp_path, 2)).validate()


def test_images_beyond_the_room_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CACHE_BYTES", 100_000)
    read = []
    monkeypatch.setattr(examples, "read_bytes", lambda path: read.append(path) or path.read_bytes())
    task = a_task(some(tmp_path, 4))
    assert len(read) == 4
    list(task.batches("train", 1, 0))
    assert len(read) == 6
    assert task._images.room >= 0


def test_an_image_that_cannot_be_read_is_told_once_and_left_out(tmp_path: Path) -> None:
    examples = some(tmp_path, 4)
    examples[2].image.write_bytes(b"\x89PNG\r\n\x1a\n")
    problems, told = Problems(), []
    problems = Problems(report=told.append)
    task = DetectorTask(FasterRcnn(architecture_of(TINY)), examples, problems, workers=1)
    assert sum(len(batch.items) for batch in task.batches("train", 1, 0)) == 2
    assert len(told) == 1
    assert told[0].startswith(f'figure "{examples[2].figure.id}": {examples[2].image}: ')
    assert told[0].endswith("; left it out")
    examples[0].image.write_bytes(b"")
    with pytest.raises(FormatError, match="no figure is left to train or to validate with"):
        DetectorTask(FasterRcnn(architecture_of(TINY)), examples, Problems(), workers=1)


def test_options_become_an_architecture(tmp_path: Path) -> None:
    options = Options(architecture="tiny", batch=3, side=160)
    task = make_task(some(tmp_path, 2), options, Problems())
    assert (task.architecture["name"], task.architecture["longer"], task.architecture["shorter"]) == (
        TINY,
        160,
        96,
    )
    assert task.batch == 3
    assert make_task(some(tmp_path, 2), replace(options, side=0), Problems()).architecture["longer"] == 213


def test_training_may_begin_from_a_file_of_weights(tmp_path: Path) -> None:
    torch.manual_seed(1)
    source = FasterRcnn(architecture_of(MOBILENET_320))
    torch.save(source.state_dict(), tmp_path / "w.pt")
    options = Options(architecture="mobilenet-320", weights=str(tmp_path / "w.pt"))
    task = make_task(some(tmp_path, 2), options, Problems())
    assert task.architecture["frozen"] is True
    ours = task.module.state_dict()
    assert all(torch.equal(ours[key], value) for key, value in source.state_dict().items() if key in ours)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            Options(architecture="vgg"),
            'no detector "vgg"; give one of resnet50, mobilenet-320, panel-net, tiny, or the name',
        ),
        (Options(architecture="tiny", batch=0), "a batch of 0 figures cannot be"),
        (Options(architecture="tiny", side=-1), "images of -1 pixels cannot be"),
        (Options(architecture="mobilenet-320", weights="/no/weights.pt"), "no such file of weights"),
    ],
)
def test_options_that_cannot_be_are_told(tmp_path: Path, options: Options, said: str) -> None:
    with pytest.raises(AnnotatorError, match=said):
        make_task(some(tmp_path, 2), options, Problems())


@pytest.mark.soak
@pytest.mark.parametrize(("name", "passes", "rate", "batch"), [(TINY, 60, 2e-3, 2), (MOBILENET_320, 90, 1e-3, 4)])
def test_twenty_simulated_figures_are_learnt_by_heart(
    name: str, passes: int, rate: float, batch: int, tmp_path: Path
) -> None:
    """What is right about a loss, its targets and its scaling shows in boxes within a few hundredths."""
    task = a_task(drawn_examples(tmp_path, 20, splits=(Split.TRAIN, Split.VAL)), name=name, batch=batch)
    optimiser = torch.optim.AdamW(parameter_groups(task.module, rate, 1e-4), lr=rate)
    steps = passes * len(list(task.batches("train", 0, 0)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.15)
    task.module.train()
    for epoch in range(passes):
        for some_figures in task.batches("train", epoch, 0):
            optimiser.zero_grad()
            task.loss(some_figures).backward()
            torch.nn.utils.clip_grad_norm_(task.module.parameters(), 10.0)
            optimiser.step()
            schedule.step()
    task.module.eval()
    assert task.validate()["map"] >= 0.90
