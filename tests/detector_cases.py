"""Detectors that tests open: small, random, their weights by a seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from prelabel.detectors.faster_rcnn import TINY, FasterRcnn, architecture_of
from prelabel.detectors.torchvision_detector import TorchvisionDetector
from prelabel.models.checkpoints import About, save_checkpoint

CPU = torch.device("cpu")


def a_module(name: str = TINY, *, seed: int = 0, **more: Any) -> FasterRcnn:
    """Random weights, but scores that differ: fresh ones give every box nearly the same."""
    torch.manual_seed(seed)
    module = FasterRcnn(architecture_of(name, **more))
    with torch.no_grad():
        module.net.roi_heads.box_predictor.cls_score.weight.mul_(40)
        module.net.roi_heads.box_predictor.bbox_pred.weight.mul_(10)
    return module


def a_detector(name: str = TINY, *, threshold: float = 0.05, batch: int = 4, **more: Any) -> TorchvisionDetector:
    return TorchvisionDetector(
        a_module(name), version="random", device=CPU, threshold=threshold, batch=batch, **more
    )


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
