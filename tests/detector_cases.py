"""Detectors that tests open: small, random, their weights by a seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from panelwise.domain.annotation import Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from prelabel.detectors.batched import BatchedDetector
from prelabel.detectors.faster_rcnn import TINY, FasterRcnn, architecture_of
from prelabel.models.checkpoints import About, save_checkpoint
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split

CPU = torch.device("cpu")


def a_module(name: str = TINY, *, seed: int = 0, **more: Any) -> FasterRcnn:
    """Random weights, but scores that differ: fresh ones give every box nearly the same."""
    torch.manual_seed(seed)
    module = FasterRcnn(architecture_of(name, **more))
    with torch.no_grad():
        module.net.roi_heads.box_predictor.cls_score.weight.mul_(40)
        module.net.roi_heads.box_predictor.bbox_pred.weight.mul_(10)
    return module


def a_detector(name: str = TINY, *, threshold: float = 0.05, batch: int = 4, **more: Any) -> BatchedDetector:
    return BatchedDetector(a_module(name), version="random", device=CPU, threshold=threshold, batch=batch, **more)


def a_checkpoint(folder: Path, name: str = TINY, **more: Any) -> FasterRcnn:
    """A checkpoint folder as `prelabel train detector` leaves it; returns what was saved."""
    module = a_module(name, **more)
    save_checkpoint(folder, module, About("detector", "panels", architecture_of(name, **more)))
    return module


def an_image(seed: int, size: tuple[int, int] = (400, 300)) -> Image.Image:
    """Panels of noise with white between them."""
    rng = np.random.default_rng(seed)
    width, height = size
    pixels = np.full((height, width, 3), 255, dtype=np.uint8)
    for left in range(2):
        for top in range(2):
            x0, y0 = left * width // 2 + 8, top * height // 2 + 8
            shade = rng.integers(0, 200, 3)
            block = rng.integers(0, 56, (height // 2 - 16, width // 2 - 16, 3))
            pixels[y0 : y0 + height // 2 - 16, x0 : x0 + width // 2 - 16] = shade + block
    return Image.fromarray(pixels)


def two_panels(folder: Path, name: str, split: Split, *, scale: float = 1.0) -> Example:
    """An image of four panels, two of them annotated. scale: size of the figure in sizes of its image."""
    path = folder / f"{name}.png"
    an_image(len(name), (200, 120)).save(path)
    figure = Figure(name, path.name, round(200 * scale), round(120 * scale), Caption.cut(""))
    boxes = [(8, 8, 92, 52), (108, 68, 192, 112)]
    parts = tuple(
        Subfigure(label, Box(*(scale * side for side in box))) for label, box in zip("AB", boxes, strict=True)
    )
    return Example(figure, path, parts, split)


def some(folder: Path, count: int = 6) -> list[Example]:
    return [two_panels(folder, f"f{'x' * n}", Split.TRAIN if n else Split.VAL) for n in range(count)]


def a_detr(folder: Path, *, preprocessor: dict[str, Any] | None = None) -> Path:
    """A DAB-DETR (as `pmc-18m-dab-detr` is) of a few thousand weights, in transformers' own layout."""
    from transformers import DabDetrConfig, DabDetrForObjectDetection, ResNetConfig

    backbone = ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 8, 16, 16],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage4"],
    )
    config = DabDetrConfig(
        use_timm_backbone=False,
        backbone_config=backbone,
        hidden_size=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        num_queries=12,
        num_labels=1,
    )
    torch.manual_seed(3)
    model = DabDetrForObjectDetection(config)
    with torch.no_grad():
        model.class_embed.weight.normal_(0, 1)
        for layer in model.bbox_predictor.layers:
            layer.weight.normal_(0, 0.3)
    model.save_pretrained(folder)
    told = {"size": {"shortest_edge": 96, "longest_edge": 160}} if preprocessor is None else preprocessor
    if told:
        (folder / "preprocessor_config.json").write_text(json.dumps(told))
    return folder


def an_rt_detr(folder: Path, *, labels: int = 3) -> Path:
    """An RT-DETR of a few thousand weights, for images squeezed to 96 x 96, that finds objects of some classes."""
    from transformers import RTDetrConfig, RTDetrForObjectDetection, RTDetrResNetConfig

    backbone = RTDetrResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 16, 16],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_indices=[2, 3, 4],
    )
    config = RTDetrConfig(
        backbone_config=backbone,
        encoder_hidden_dim=16,
        encoder_in_channels=[16, 16, 16],
        encoder_ffn_dim=16,
        encoder_attention_heads=2,
        d_model=16,
        num_queries=12,
        decoder_in_channels=[16, 16, 16],
        decoder_ffn_dim=16,
        decoder_layers=2,
        decoder_attention_heads=2,
        num_denoising=6,
        num_labels=labels,
    )
    torch.manual_seed(4)
    return _written(RTDetrForObjectDetection(config), folder, {"height": 96, "width": 96})


def an_rf_detr(folder: Path) -> Path:
    """Likewise an RF-DETR."""
    from transformers import RfDetrConfig, RfDetrForObjectDetection

    backbone = {
        "model_type": "rf_detr_dinov2",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 64,
        "patch_size": 8,
        "num_windows": 2,
        "num_register_tokens": 0,
        "out_features": ["stage1", "stage2"],
    }
    config = RfDetrConfig(
        backbone_config=backbone,
        d_model=16,
        num_queries=8,
        group_detr=2,
        decoder_layers=2,
        decoder_ffn_dim=16,
        decoder_self_attention_heads=2,
        decoder_cross_attention_heads=2,
        num_labels=2,
    )
    torch.manual_seed(5)
    return _written(RfDetrForObjectDetection(config), folder, {"height": 64, "width": 64})


def a_yolos(folder: Path) -> Path:
    """Likewise a YOLOS, which has a class for nothing, sees no mask and takes images as they are."""
    from transformers import YolosConfig, YolosForObjectDetection

    config = YolosConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=[96, 128],
        patch_size=16,
        num_detection_tokens=7,
        num_labels=1,
    )
    torch.manual_seed(0)
    return _written(YolosForObjectDetection(config), folder, {"height": 96, "width": 128})


def _written(model: Any, folder: Path, size: dict[str, int]) -> Path:
    model.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps({"size": size, "do_normalize": False}))
    return folder
