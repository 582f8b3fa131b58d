"""Faster R-CNN (Ren et al. 2015) from torchvision's parts, in three sizes.

torchvision's own wrapper scales images on the device, one at a time, and pads each batch to its largest; here
batches come ready (`prelabel.models.sizing`). Backbones, heads, anchors, losses and operators are torchvision's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import nn
from torchvision.models.detection import FasterRCNN
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import mobilenet_backbone, resnet_fpn_backbone
from torchvision.models.detection.image_list import ImageList
from torchvision.models.mobilenetv3 import MobileNet_V3_Large_Weights
from torchvision.models.resnet import ResNet50_Weights
from torchvision.ops import FeaturePyramidNetwork, FrozenBatchNorm2d, MultiScaleRoIAlign
from torchvision.ops.feature_pyramid_network import LastLevelMaxPool

from panelwise.domain import AnnotatorError, FormatError, one_line
from prelabel.models.checkpoints import fetch_weights
from prelabel.models.hub import refuse_compressed
from prelabel.models.sizing import DEVIATION, MEAN, Prepared, Shape, Sizing

RESNET50, MOBILENET_320, TINY = "faster-rcnn-resnet50", "faster-rcnn-mobilenet-320", "faster-rcnn-tiny"
#: Sizes on offer: the paper's; torchvision's for CPUs; one for tests, trained in a minute.
SIZES: Mapping[str, Sizing] = {
    RESNET50: Sizing(800, 1333, 64),
    MOBILENET_320: Sizing(320, 640, 64),
    TINY: Sizing(128, 213, 32),
}

#: Where a training begins.
RANDOM, IMAGENET = "random", "imagenet"

#: Boxes of lower score are not even looked at, for average precision; and panels hardly overlap.
LEAST_SCORE, NMS = 0.05, 0.5
#: Figures of more panels than this are not known.
MOST_PANELS = 100

#: Widths of the tiny backbone's stages, each at half the resolution of the one before.
_TINY_WIDTHS, _TINY_OUT = (16, 32, 48, 64), 64


def architecture_of(name: str, *, start: str = RANDOM, shorter: int | None = None) -> dict[str, Any]:
    """All that is needed to build a detector again: what a checkpoint keeps.

    start: "random", "imagenet" or a file of weights; with weights, batch statistics are frozen and the lowest
    layers kept. shorter: pixels of an image's shorter side, by the name if None; the longer follows. Raises
    AnnotatorError for a name that is none.
    """
    if name not in SIZES:
        raise AnnotatorError(f'no detector "{one_line(name)}"; give one of {", ".join(SIZES)}')
    usual = SIZES[name]
    short = shorter or usual.shorter
    return {
        "name": name,
        "shorter": short,
        "longer": round(usual.longer * short / usual.shorter),
        "step": usual.step,
        "classes": ["subfigure"],
        "frozen": start != RANDOM and name != TINY,
    }


def with_longer(architecture: Mapping[str, Any], longer: int) -> dict[str, Any]:
    """The architecture for images whose longer side has so many pixels; the shorter follows."""
    shorter = round(architecture["shorter"] * longer / architecture["longer"])
    return {**architecture, "shorter": shorter, "longer": longer}


class FasterRcnn(nn.Module):
    """A Faster R-CNN of an architecture, with random weights. Raises FormatError for one that is not known.

    colours: mean and deviation of images, in [0, 1], that it is trained with.
    """

    colours = MEAN, DEVIATION

    def __init__(self, architecture: Mapping[str, Any]) -> None:
        super().__init__()
        self.architecture = dict(architecture)
        name = str(architecture.get("name"))
        if name not in SIZES:
            raise FormatError(
                f'detector architecture "{one_line(name)}" is not known; it can be {", ".join(SIZES)}'
            )
        self.name = name
        sizes = [{"step": 32, **architecture}.get(key) for key in ("shorter", "longer", "step")]
        classes = architecture.get("classes", ["subfigure"])
        numbers = [size for size in sizes if isinstance(size, int) and size > 0]
        if len(numbers) < len(sizes) or not isinstance(classes, list):
            raise FormatError(f"the architecture of detector {name} is incomplete; get a whole copy of its folder")
        shorter, longer, step = numbers
        self.sizing = Sizing(shorter, longer, step)
        self.net = _net(name, len(classes) + 1, frozen=bool(architecture.get("frozen", False)))

    def forward(
        self,
        batch: torch.Tensor,
        sizes: Sequence[Shape],
        targets: list[dict[str, torch.Tensor]] | None = None,
    ) -> Any:
        """batch: (N, 3, h, w), see `batch_tensor`. sizes: (height, width) of each image in it.

        In training: the losses, by name; targets have "boxes" (M, 4) in pixels of the scaled image and "labels"
        (M,) from 1. Else: one dictionary an image, of "boxes", "scores" and "labels", highest score first.
        """
        images = ImageList(batch, [(int(down), int(across)) for down, across in sizes])
        features = self.net.backbone(batch)
        proposals, of_proposals = self.net.rpn(images, features, targets)
        found, of_boxes = self.net.roi_heads(features, proposals, images.image_sizes, targets)
        return {**of_boxes, **of_proposals} if self.training else found

    def set_least_score(self, score: float) -> None:
        """Set the least score of predicted boxes."""
        self.net.roi_heads.score_thresh = score


def sizes_of(items: Sequence[Prepared]) -> list[Shape]:
    """(height, width) of each scaled image, as `FasterRcnn` wants them."""
    return [(item.scaled[1], item.scaled[0]) for item in items]


def load_start(module: FasterRcnn, start: str) -> None:
    """Begin from weights: "random" keeps what is there, "imagenet" fetches torchvision's backbone, else a file.

    The file: a state of the whole detector or of a backbone, as safetensors or as torch saves it; what has another
    shape (COCO's classes) stays random. Raises FormatError if none of the weights fit.
    """
    if start == RANDOM:
        return
    state = _fetched(module.name) if start == IMAGENET else read_weights(Path(start))
    ours = module.state_dict()
    fitting = {}
    for key, value in state.items():
        for name in (
            key,
            f"net.{key}",
            f"net.backbone.body.{key}",
            f"net.backbone.body.{key}".replace(".features.", "."),
        ):
            if name in ours and ours[name].shape == value.shape:
                fitting[name] = value
                break
    if not fitting:
        raise FormatError(f"{start}: none of its weights fit {module.name}; give weights of the same backbone")
    module.load_state_dict(fitting, strict=False)


def _net(name: str, classes: int, *, frozen: bool) -> Any:
    norm = FrozenBatchNorm2d if frozen else nn.BatchNorm2d
    if name == RESNET50:
        backbone = resnet_fpn_backbone(
            backbone_name="resnet50", weights=None, norm_layer=norm, trainable_layers=3 if frozen else 5
        )
        anchors = AnchorGenerator(((32,), (64,), (128,), (256,), (512,)), ((0.5, 1.0, 2.0),) * 5)
        more: dict[str, Any] = {}
    elif name == MOBILENET_320:
        backbone = mobilenet_backbone(
            backbone_name="mobilenet_v3_large",
            weights=None,
            fpn=True,
            norm_layer=norm,
            trainable_layers=3 if frozen else 6,
        )
        anchors = AnchorGenerator(((32, 64, 128, 256, 512),) * 3, ((0.5, 1.0, 2.0),) * 3)
        more = {"rpn_pre_nms_top_n_test": 150, "rpn_post_nms_top_n_test": 150, "rpn_score_thresh": 0.05}
    else:
        backbone = _Tiny()
        anchors = AnchorGenerator(((24, 48),) + ((96, 192),) * 2, ((0.5, 1.0, 2.0),) * 3)
        more = _tiny_heads(classes)
    net = FasterRCNN(
        backbone,
        None if "box_predictor" in more else classes,
        rpn_anchor_generator=anchors,
        box_score_thresh=LEAST_SCORE,
        box_nms_thresh=NMS,
        box_detections_per_img=MOST_PANELS,
        **more,
    )
    return net


class _Tiny(nn.Module):
    """Four strided convolutions and a feature pyramid of strides 8, 16 and 32: real, only small."""

    def __init__(self) -> None:
        super().__init__()
        stages, before = [], 3
        for place, width in enumerate(_TINY_WIDTHS):
            stage = [*_conv(before, width, 2)]
            if place >= 2:
                stage += _conv(width, width, 1)
            stages.append(nn.Sequential(*stage))
            before = width
        self.stages = nn.ModuleList(stages)
        self.fpn = FeaturePyramidNetwork(list(_TINY_WIDTHS[2:]), _TINY_OUT, LastLevelMaxPool())
        self.out_channels = _TINY_OUT

    def forward(self, batch: torch.Tensor) -> Any:
        features: OrderedDict[str, torch.Tensor] = OrderedDict()
        for place, stage in enumerate(self.stages):
            batch = stage(batch)
            if place >= 2:
                features[str(place - 2)] = batch
        return self.fpn(features)


def _conv(before: int, after: int, stride: int) -> list[Any]:
    return [
        nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False),
        nn.GroupNorm(8, after),
        nn.ReLU(inplace=True),
    ]


def _tiny_heads(classes: int) -> dict[str, Any]:
    from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead

    return {
        "box_roi_pool": MultiScaleRoIAlign(["0", "1"], 7, 1),
        "box_head": TwoMLPHead(_TINY_OUT * 49, 128),
        "box_predictor": FastRCNNPredictor(128, classes),
        "rpn_pre_nms_top_n_train": 200,
        "rpn_post_nms_top_n_train": 100,
        "rpn_pre_nms_top_n_test": 200,
        "rpn_post_nms_top_n_test": 100,
        "box_batch_size_per_image": 32,
        "box_positive_fraction": 0.5,
    }


def _fetched(name: str) -> dict[str, torch.Tensor]:
    weights = {RESNET50: ResNet50_Weights.IMAGENET1K_V1, MOBILENET_320: MobileNet_V3_Large_Weights.IMAGENET1K_V1}
    if name not in weights:
        raise AnnotatorError(f'detector "{name}" has no weights of ImageNet; begin from "{RANDOM}"')
    return fetch_weights(weights[name])


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """A state of a module, from safetensors or as torch saves it. Raises FormatError, one line, for all else."""
    if not path.is_file():
        raise FormatError(f"{path}: no such file of weights; give one, or begin from {RANDOM} or {IMAGENET}")
    try:
        if path.suffix == ".safetensors":
            return dict(safetensors.torch.load_file(str(path)))
        refuse_compressed(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FormatError:
        raise
    except (SafetensorError, RuntimeError, OSError, EOFError, ValueError, KeyError) as error:
        raise FormatError(f"{path}: its weights cannot be read ({one_line(error)}); get a whole copy") from None
    except Exception as error:  # What `pickle` raises has no common ancestor but this.
        raise FormatError(f"{path}: is no file of weights ({one_line(error)}); get a whole copy") from None
    if not isinstance(state, dict):
        raise FormatError(f"{path}: holds no state of a module; give one that torch.save wrote of a state_dict")
    return {key: value for key, value in state.items() if isinstance(value, torch.Tensor)}
