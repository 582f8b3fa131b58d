from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from detector_cases import CPU, a_checkpoint, a_detector, a_module, an_image

from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.detectors.batched import fused
from prelabel.detectors.faster_rcnn import (
    MOBILENET_320,
    RESNET50,
    SIZES,
    TINY,
    FasterRcnn,
    architecture_of,
    load_start,
    sizes_of,
)
from prelabel.models.checkpoints import About, save_checkpoint
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Sizing, batch_tensor, prepare
from prelabel.runs.opening import NEEDED, open_detector

IMAGES = [an_image(seed, size) for seed, size in enumerate([(400, 300), (300, 400), (410, 300), (800, 200)])]


def alike(one: Detections, other: Detections, *, pixels: float = 0.05) -> bool:
    return (
        len(one) == len(other)
        and bool(np.allclose(one.boxes, other.boxes, atol=pixels))
        and bool(np.allclose(one.scores, other.scores, atol=1e-3))
        and one.labels.tolist() == other.labels.tolist()
    )


def test_the_papers_detector_has_the_papers_parameters() -> None:
    module = FasterRcnn(architecture_of(RESNET50))
    assert sum(each.numel() for each in module.parameters()) / 1e6 == pytest.approx(41.4, abs=0.1)
    assert module.sizing == Sizing(800, 1333, 64)


def test_a_checkpoint_opens_by_its_folder_and_finds_what_its_module_finds(tmp_path: Path) -> None:
    module = a_checkpoint(tmp_path / "best")
    detector = open_detector(tmp_path, device="cpu", threshold=0.05)
    reference = type(a_detector())(module, version="x", device=CPU, threshold=0.05)
    assert detector.version.startswith("panels-")
    found = detector.detect(IMAGES)
    assert sum(map(len, found)) > 0
    for one, other in zip(found, reference.detect(IMAGES), strict=True):
        assert alike(one, other)


def test_what_is_found_in_an_image_does_not_depend_on_the_others() -> None:
    detector = a_detector()
    together = detector.detect(IMAGES)
    assert sum(map(len, together)) > 0
    for image, found in zip(IMAGES, together, strict=True):
        assert alike(detector.detect([image])[0], found)


def test_scores_fall_and_boxes_lie_in_the_image_and_do_not_overlap_much() -> None:
    from torchvision.ops import box_iou

    for image, found in zip(IMAGES, a_detector().detect(IMAGES), strict=True):
        assert (np.diff(found.scores) <= 0).all()
        assert found.scores.min() >= 0.05
        assert (found.boxes >= 0).all()
        assert (found.boxes <= [*image.size, *image.size]).all()
        assert set(found.labels.tolist()) == {1}
        overlap = box_iou(torch.from_numpy(found.boxes), torch.from_numpy(found.boxes)).fill_diagonal_(0)
        assert overlap.max() <= 0.5


def test_a_higher_threshold_leaves_boxes_out_and_changes_none() -> None:
    low, high = a_detector(threshold=0.05).detect(IMAGES), a_detector(threshold=0.5).detect(IMAGES)
    for some, all_of_them in zip(high, low, strict=True):
        kept = all_of_them.scores >= 0.5
        assert np.allclose(some.scores, all_of_them.scores[kept], atol=1e-4)
        assert np.allclose(some.boxes, all_of_them.boxes[kept], atol=0.05)


def test_no_image_gives_no_answer() -> None:
    assert a_detector().detect([]) == []


@pytest.mark.parametrize("given", [{"threshold": 1.5}, {"threshold": -0.1}, {"batch": -1}])
def test_thresholds_and_batches_that_cannot_be_are_told(given: dict[str, Any]) -> None:
    with pytest.raises(AnnotatorError, match="cannot be; give"):
        a_detector(**given)


def test_out_of_memory_halves_the_batch_and_the_detector_keeps_to_that(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    plain, detector = a_detector(), a_detector(warn=told.append)
    whole, tried = detector.found, []

    def cramped(batch: Any, items: Sequence[Any]) -> Any:
        tried.append(len(items))
        if len(items) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return whole(batch, items)

    monkeypatch.setattr(detector, "found", cramped)
    images = [IMAGES[0]] * 8
    for one, other in zip(detector.detect(images), plain.detect(images), strict=True):
        assert alike(one, other)
    assert tried == [4, 2, 2, 2, 2]
    assert told == ["out of memory with a batch of 4; going on with 2 (give a smaller --batch)"]


@pytest.mark.parametrize("name", [MOBILENET_320, RESNET50])
def test_folding_normalisation_into_convolutions_changes_no_number(name: str) -> None:
    module = a_module(name, shorter=64)
    for each in module.modules():
        if isinstance(each, torch.nn.BatchNorm2d):
            each.running_mean.normal_(0, 0.1)
            each.running_var.uniform_(0.5, 2)
    items = [prepare(IMAGES[0], module.sizing)]
    batch = batch_tensor(items, CPU)
    module.eval()
    with torch.inference_mode():
        before = {key: value.clone() for key, value in module.net.backbone(batch).items()}
    fused(module)
    assert not [each for each in module.net.backbone.modules() if isinstance(each, torch.nn.BatchNorm2d)]
    with torch.inference_mode():
        for key, value in module.net.backbone(batch).items():
            scale = before[key].abs().max()
            assert torch.allclose(before[key], value, atol=1e-4 * scale)
        assert len(module(batch, sizes_of(items))) == 1


def test_weights_of_a_backbone_are_a_beginning(tmp_path: Path) -> None:
    source = a_module(TINY, seed=5)
    torch.save({key: value for key, value in source.state_dict().items() if "backbone" in key}, tmp_path / "w.pt")
    module = a_module(TINY, seed=6)
    load_start(module, str(tmp_path / "w.pt"))
    for key, value in module.state_dict().items():
        assert torch.equal(value, source.state_dict()[key]) is ("backbone" in key or not value.any())


def test_a_resnet_without_a_detector_around_it_fits_as_a_backbone(tmp_path: Path) -> None:
    from safetensors.torch import save_file
    from torchvision.models import resnet50

    torch.manual_seed(1)
    resnet = resnet50(weights=None)
    save_file(resnet.state_dict(), tmp_path / "resnet.safetensors")
    module = FasterRcnn(architecture_of(RESNET50, start="file"))
    load_start(module, str(tmp_path / "resnet.safetensors"))
    body = module.net.backbone.body
    assert torch.equal(body.layer4[0].conv1.weight, resnet.layer4[0].conv1.weight)
    assert not body.conv1.weight.requires_grad


def test_weights_of_something_else_are_told(tmp_path: Path) -> None:
    torch.save({"other": torch.ones(3)}, tmp_path / "w.pt")
    (tmp_path / "broken.pt").write_bytes(b"PK\x03\x04 not a file of torch")
    (tmp_path / "broken.safetensors").write_bytes(b"\x09\x00\x00\x00\x00\x00\x00\x00{")
    torch.save([1, 2], tmp_path / "list.pt")
    for name, said in [
        ("w.pt", "none of its weights fit faster-rcnn-tiny"),
        ("broken.pt", "broken.pt: "),
        ("broken.safetensors", "cannot be read"),
        ("list.pt", "holds no state"),
        ("absent.pt", "no such file of weights"),
    ]:
        with pytest.raises(FormatError, match=said):
            load_start(a_module(), str(tmp_path / name))
    with pytest.raises(AnnotatorError, match="has no weights of ImageNet"):
        load_start(a_module(), "imagenet")


def test_weights_that_cannot_be_fetched_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_args: object, **_more: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("torchvision.models._api.load_state_dict_from_url", unreachable)
    with pytest.raises(AnnotatorError, match=r"cannot be fetched \(no route to host\); give a file"):
        load_start(a_module(MOBILENET_320), "imagenet")


def test_a_folder_of_another_kind_is_told_in_one_line(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "tagger", torch.nn.Linear(1, 1), About("box-crf", "x", {}))
    with pytest.raises(FormatError, match='holds a "box-crf", and a "detector" is wanted'):
        open_detector(tmp_path / "tagger", device="cpu")
    save_checkpoint(tmp_path / "new", torch.nn.Linear(1, 1), About("detector", "x", {"name": "yolo-99"}))
    with pytest.raises(FormatError, match='architecture "yolo-99" is not known; it can be'):
        open_detector(tmp_path / "new", device="cpu")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="is no checkpoint"):
        open_detector(tmp_path / "empty", device="cpu")
    (tmp_path / "empty" / "config.json").write_text("{")
    with pytest.raises(FormatError, match="not valid JSON"):
        open_detector(tmp_path / "empty", device="cpu")


@pytest.mark.parametrize("change", [{"shorter": None}, {"longer": "x"}, {"step": 0}, {"classes": None}])
def test_an_architecture_with_something_else_for_a_number_is_told(
    change: dict[str, object], tmp_path: Path
) -> None:
    damaged = {**architecture_of(TINY), **change}
    save_checkpoint(tmp_path / "m", a_module(), About("detector", "x", damaged))
    with pytest.raises(FormatError, match="architecture of detector faster-rcnn-tiny is incomplete; get a whole"):
        open_detector(tmp_path / "m", device="cpu")


def test_missing_weights_and_weights_of_another_size_are_told(tmp_path: Path) -> None:
    a_checkpoint(tmp_path / "one")
    save_checkpoint(tmp_path / "other", a_module(MOBILENET_320), About("detector", "x", architecture_of(TINY)))
    with pytest.raises(FormatError, match="weights are of another architecture"):
        open_detector(tmp_path / "other", device="cpu")
    (tmp_path / "one" / "model.safetensors").unlink()
    with pytest.raises(FormatError, match=r"has no weights \(model.safetensors is missing\)"):
        open_detector(tmp_path / "one", device="cpu")


def test_missing_packages_are_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("prelabel.runs.opening.find_spec", lambda name: None if name == NEEDED[0] else name)
    a_checkpoint(tmp_path)
    with pytest.raises(
        AnnotatorError, match=r'needs panelwise\[models\] \(torch missing\); pip install "panelwise'
    ):
        open_detector(tmp_path, device="cpu")


def test_an_architecture_that_is_none_is_told() -> None:
    with pytest.raises(AnnotatorError, match='no detector "vgg"; give one of faster-rcnn-resnet50'):
        architecture_of("vgg")


def test_another_size_keeps_the_proportions() -> None:
    assert architecture_of(RESNET50, shorter=400)["longer"] == 666
    assert SIZES[RESNET50].shorter == 800


def test_mixed_precision_can_be_left_off(tmp_path: Path) -> None:
    a_checkpoint(tmp_path)
    assert open_detector(tmp_path, device="cpu", amp=False).amp is False
