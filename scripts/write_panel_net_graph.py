"""Write prelabel/detectors/panel_net.onnx: panel-net as a graph for onnxruntime, without weights.

    uv run --with onnx python scripts/write_panel_net_graph.py

Run it after a change of the network in prelabel/detectors/panel_net.py. The weights of a checkpoint are put in by
their names when it is opened, so one graph serves all checkpoints. Inputs: image (1, 3, h, w), places (4, h / 16,
w / 16) of `cell_places`, counts (N,) numbers of panels. Outputs, one for each count: maps (N, 8, h / 16, w / 16),
and guesses (N, 42), the log-odds of each number of panels.
"""

from __future__ import annotations

import io
from pathlib import Path

import onnx
import torch
from torch import nn

from prelabel.detectors.onnx_panel_net import GRAPH
from prelabel.detectors.panel_maps import CELL, cell_places, panel_net_architecture
from prelabel.detectors.panel_net import PanelNet, merged

OPSET = 17
#: Sizes of the example; the graph takes any.
HIGH, WIDE = 288, 384


class Maps(nn.Module):
    """The maps of one image for several numbers of panels: the backbone runs once."""

    def __init__(self, net: PanelNet) -> None:
        super().__init__()
        self.backbone, self.head = net.backbone, net.head

    def forward(
        self, image: torch.Tensor, places: torch.Tensor, counts: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the maps and the guesses, as above."""
        features = merged(self.backbone(image)).expand(counts.shape[0], -1, -1, -1)
        maps, guesses = self.head(features, counts, places)
        return maps, guesses


def graph() -> onnx.ModelProto:
    """Return the network as a graph, its weights declared as external and left out."""
    net = PanelNet(panel_net_architecture()).eval()
    for weight in net.state_dict().values():
        if weight.is_floating_point():
            weight.uniform_(0.1, 0.2)  # of equal weights the exporter writes one
    places = torch.from_numpy(cell_places(HIGH // CELL, WIDE // CELL))
    written = io.BytesIO()
    torch.onnx.export(
        Maps(net).eval(),
        (torch.rand(1, 3, HIGH, WIDE), places, torch.tensor([0, 3])),
        written,
        input_names=["image", "places", "counts"],
        output_names=["maps", "guesses"],
        dynamic_axes={
            "image": {2: "high", 3: "wide"},
            "places": {1: "rows", 2: "columns"},
            "counts": {0: "counts"},
            "maps": {0: "counts", 2: "rows", 3: "columns"},
            "guesses": {0: "counts"},
        },
        opset_version=OPSET,
        dynamo=False,
        do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE,  # else normalisations are fused into other weights
    )
    model = onnx.load_from_string(written.getvalue())
    names = {name for name, value in net.state_dict().items() if value.is_floating_point()}
    if other := names ^ {weight.name for weight in model.graph.initializer}:
        raise SystemExit(f"weights of the network and the graph differ: {', '.join(sorted(other))}")
    for weight in model.graph.initializer:
        weight.ClearField("raw_data")
        weight.data_location = onnx.TensorProto.EXTERNAL
        weight.external_data.add(key="location", value="weights")
    for node in model.graph.node:
        node.ClearField("doc_string")
        node.ClearField("metadata_props")
    return model


def main() -> None:
    """Entry point."""
    data = graph().SerializeToString(deterministic=True)
    Path(GRAPH).write_bytes(data)
    print(f"{GRAPH}: {len(data):,} bytes")


if __name__ == "__main__":
    main()
