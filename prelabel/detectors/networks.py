"""Every network that finds boxes, by its name in a checkpoint: Faster R-CNN, panel-net, or one of transformers.

A network is a torch module with `architecture` (plain values that build it again), `sizing` and `colours` (how it
wants images) and `set_least_score`; called, it gives losses in training, else the boxes that it finds: see
`FasterRcnn.forward`. One with `counted` is also called with `counts`, the caption's number of panels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prelabel.detectors import faster_rcnn
from prelabel.detectors.panel_net import PANEL_NET, PanelNet, panel_net_architecture


def network_of(architecture: Mapping[str, Any]) -> Any:
    """Build a checkpoint's network, its weights still random. Raises FormatError for one that is not known."""
    if architecture.get("name") == PANEL_NET:
        return PanelNet(architecture)
    if architecture.get("name") != "transformers":
        return faster_rcnn.FasterRcnn(architecture)
    from prelabel.detectors.transformers_network import build_network

    return build_network(architecture)


def with_longer(architecture: Mapping[str, Any], longer: int) -> dict[str, Any]:
    """The architecture for images whose longer side has so many pixels."""
    if architecture.get("name") == PANEL_NET:
        return panel_net_architecture(longer)
    if architecture.get("name") != "transformers":
        return faster_rcnn.with_longer(architecture, longer)
    from prelabel.detectors import transformers_network

    return {
        **architecture,
        "preprocessor": transformers_network.with_longer(architecture["preprocessor"], longer),
    }
