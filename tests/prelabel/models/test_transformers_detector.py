from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from detector_cases import CPU, a_detr, a_yolos, an_image

from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.detectors.batched import BatchedDetector
from prelabel.detectors.transformers_network import USUAL, TransformersNetwork, read_sizing
from prelabel.models.sizing import Sizing
from prelabel.runs.opening import open_detector

IMAGES = [an_image(seed, size) for seed, size in enumerate([(400, 300), (300, 400), (410, 300), (390, 300)])]


@pytest.fixture(scope="module")
def detr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_detr(tmp_path_factory.mktemp("detectors") / "tiny-dab-detr")


def test_a_dab_detr_opens_by_its_folder_and_finds_boxes(detr: Path) -> None:
    detector = open_detector(detr, device="cpu", threshold=0.1)
    assert detector.version.startswith("tiny-dab-detr-")
    found = detector.detect(IMAGES)
    for image, one in zip(IMAGES, found, strict=True):
        assert len(one) > 0
        assert (np.diff(one.scores) <= 0).all()
        assert (one.boxes >= 0).all()
        assert (one.boxes <= [*image.size, *image.size]).all()
        assert set(one.labels.tolist()) == {1}


def test_what_it_finds_does_not_depend_on_the_other_images(detr: Path) -> None:
    detector = open_detector(detr, device="cpu", threshold=0.1)
    for image, found in zip(IMAGES, detector.detect(IMAGES), strict=True):
        alone = detector.detect([image])[0]
        assert np.allclose(alone.scores, found.scores, atol=1e-4)
        assert np.allclose(alone.boxes, found.boxes, atol=0.1)


def test_it_finds_what_transformers_own_processing_finds(detr: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoModelForObjectDetection, ConditionalDetrImageProcessor

    processor = ConditionalDetrImageProcessor(size={"shortest_edge": 96, "longest_edge": 160})
    model = AutoModelForObjectDetection.from_pretrained(detr).eval()
    image = IMAGES[0].resize((128, 96))  # as large as the network wants it: nobody scales
    inputs = processor(images=[image], return_tensors="pt")
    with torch.inference_mode():
        said = model(**inputs)
    theirs = processor.post_process_object_detection(said, threshold=0.1, target_sizes=[(96, 128)])[0]
    told = {"size": {"shortest_edge": 96, "longest_edge": 160}}
    monkeypatch.setattr("prelabel.detectors.batched.NMS", 1.0)
    detector = BatchedDetector(TransformersNetwork(model, told), version="x", device=CPU, threshold=0.1)
    ours = detector.detect([image])[0]
    boxes = theirs["boxes"].clamp(min=0).minimum(torch.tensor([128.0, 96.0, 128.0, 96.0])).numpy()
    # Untrained queries are equally sure of much the same: the order is left to the boxes.
    assert np.allclose(np.sort(ours.scores), np.sort(theirs["scores"]), atol=1e-4)
    assert np.allclose(ours.boxes[np.lexsort(ours.boxes.T)], boxes[np.lexsort(boxes.T)], atol=0.05)


def test_networks_that_name_nothing_as_a_class_are_understood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    detector = open_detector(a_yolos(tmp_path / "yolos"), device="cpu", threshold=0.0)
    assert isinstance(detector.module, TransformersNetwork)
    assert detector.module.colours == ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    found = detector.detect(IMAGES)
    assert all(len(each) > 0 for each in found)
    assert "Loading" not in capsys.readouterr().err
    # Of two classes, one of them "nothing", neither is sure in an untrained network.
    assert found[0].scores.max() < 0.9


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, USUAL),
        ({"size": {"shortest_edge": 800, "longest_edge": 1333}}, Sizing(800, 1333, 64)),
        ({"size": {"shortest_edge": 480}}, Sizing(480, 800, 32)),
        ({"size": 600, "max_size": 1000}, Sizing(600, 1000, 64)),
        ({"size": {"height": 640, "width": 512}}, Sizing(512, 640, 32, (512, 640))),
    ],
)
def test_sizes_are_read_as_processors_write_them(told: dict[str, Any], expected: Sizing) -> None:
    assert read_sizing(told) == expected


def test_a_size_that_says_nothing_is_told() -> None:
    with pytest.raises(FormatError, match=r'size {"max_pixels": 9} is not understood; give shortest_edge'):
        read_sizing({"size": {"max_pixels": 9}})


def test_a_model_without_a_preprocessor_gets_the_usual_size(tmp_path: Path) -> None:
    detector = open_detector(a_detr(tmp_path / "bare", preprocessor={}), device="cpu")
    assert detector.sizing == USUAL


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nobody/no-such-model", "no such folder, and no model of that name could be fetched"),
        ("/no/such/folder", "no such folder; name a folder, or a model on the hub"),
        ("./nowhere", "no such folder; name a folder, or a model on the hub"),
    ],
)
def test_a_name_that_leads_nowhere_is_told_in_one_line(name: str, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        open_detector(name, device="cpu")
    assert "\n" not in str(caught.value)


def test_a_model_of_another_kind_and_a_damaged_one_are_told(detr: Path, tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(FormatError, match="is no model that finds objects"):
        open_detector(tmp_path / "bert", device="cpu")
    (tmp_path / "cut").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "cut" / name).write_bytes((detr / name).read_bytes()[: 4000 if "model" in name else None])
    with pytest.raises(FormatError, match=r'detector ".*cut": '):
        open_detector(tmp_path / "cut", device="cpu")


def test_a_package_that_a_model_needs_besides_is_told(detr: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_args: object, **_more: object) -> None:
        raise ImportError("TimmBackbone requires the timm library")

    monkeypatch.setattr("transformers.AutoModelForObjectDetection.from_pretrained", lacking)
    with pytest.raises(AnnotatorError, match=r"needs a further package \(TimmBackbone requires the timm"):
        open_detector(detr, device="cpu")
