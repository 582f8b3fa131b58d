"""panel-net run by onnxruntime: on one thread of the CPU, without torch, the same boxes in any batch.

A checkpoint's weights (`model.safetensors`) are put into the network's graph by their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from panelwise.domain import FormatError, one_line
from prelabel.detectors.panel_maps import CELL, COLOURS, MOST_COUNTED, Floats, boxes_in, cell_places, sizing_of
from prelabel.detectors.staged import StagedDetector
from prelabel.models.protocols import THRESHOLD, Detections

if TYPE_CHECKING:
    from prelabel.models.sizing import Prepared

#: The network without weights, written by scripts/write_panel_net_graph.py.
GRAPH = Path(__file__).with_name("panel_net.onnx")
#: Images that are read ahead together.
BATCH = 4
#: onnxruntime's own notes below this severity (errors) are not printed.
_ERRORS = 3


@cache
def why_no_onnxruntime() -> str | None:
    """Return why onnxruntime cannot be imported; None if it can."""
    try:
        import onnxruntime

        onnxruntime.set_default_logger_severity(_ERRORS)
    except (ImportError, OSError, AttributeError) as error:  # a package that is broken or half installed
        return one_line(error)[:200]
    return None


class OnnxPanelNet(StagedDetector):
    """panel-net by onnxruntime. It pickles as its file: each process opens the weights once, when it needs them.

    weights: a checkpoint's `model.safetensors`.
    """

    def __init__(
        self, weights: Path, architecture: Mapping[str, Any], *, version: str, threshold: float = THRESHOLD
    ) -> None:
        """Check the weights. Raises FormatError, one line, if they are damaged or those of another network."""
        super().__init__(
            version=version, sizing=sizing_of(architecture), threshold=threshold, batch=BATCH, counted=True
        )
        self._opened = weights, weights.stat().st_mtime_ns
        _session(*self._opened)

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        """Run the network on one image after the other; the second step of `StagedDetector`."""
        return [self.with_counts(item, [item.count])[0] for item in items]

    def with_counts(self, item: Prepared, counts: Sequence[int]) -> list[Detections]:
        """Return the boxes in one image for each number of panels, 0 if unknown. The backbone runs once."""
        high, wide = item.pixels.shape[:2]
        shift, scale = (np.array(colour, dtype=np.float32) * 255 for colour in COLOURS)
        given = {
            "image": ((item.pixels - shift) / scale).transpose(2, 0, 1)[None],
            "places": cell_places(high // CELL, wide // CELL),
            "counts": np.array(counts, dtype=np.int64).clip(0, MOST_COUNTED),
        }
        (maps,) = _session(*self._opened).run(["maps"], given)
        return [self._detections(one, item) for one in maps]

    def _detections(self, maps: Floats, item: Prepared) -> Detections:
        high, wide = item.pixels.shape[:2]
        boxes, scores = boxes_in(maps, (high, wide), max(self.threshold, 1e-4))
        boxes = boxes * np.array([item.size[0] / wide, item.size[1] / high] * 2, dtype=np.float32)
        sized = (boxes[:, 2:] > boxes[:, :2]).all(1)
        return Detections.of(boxes[sized], scores[sized], np.ones(int(sized.sum()), dtype=np.int64))


@lru_cache(maxsize=2)
def _session(weights: Path, changed_at: int) -> Any:
    """Open the network with a checkpoint's weights, once a process. changed_at: the file's time in ns."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    values = read_safetensors(weights)
    names = list(values)
    options.add_external_initializers(
        names, [onnxruntime.OrtValue.ortvalue_from_numpy(values[name]) for name in names]
    )
    try:
        return onnxruntime.InferenceSession(GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises classes of its own for weights that are missing or misshapen.
        raise FormatError(
            f"{weights}: does not fit panel-net ({one_line(error)[:200]}); get a whole copy of its folder"
        ) from None


def read_safetensors(file: Path) -> dict[str, Floats]:
    """Read the float32 arrays of a safetensors file by name. Raises FormatError, one line, if it is damaged."""
    try:
        data = file.read_bytes()
        begin = 8 + int.from_bytes(data[:8], "little")
        header = msgspec.json.decode(data[8:begin], type=dict[str, dict[str, Any]])
        arrays = {}
        for name, entry in header.items():
            if entry.get("dtype") == "F32":
                first, last = entry["data_offsets"]
                arrays[name] = np.frombuffer(data[begin + first : begin + last], np.float32).reshape(
                    entry["shape"]
                )
    except (OSError, ValueError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise FormatError(f"{file}: is damaged ({one_line(error)[:200]}); get a whole copy") from None
    return arrays
