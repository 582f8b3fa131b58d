"""The 320 detector over files: read ahead in threads and predicted in batches, against one figure after the other.

The promise: at least 1.6 times the naive loop (decode, then predict, one at a time) on two cores, by the median of
the ratios of a few rounds that follow each other, so that a busy machine is busy for both. The naive loop uses the
same network, with normalisation folded in; torchvision's own call, which scales at full resolution, is timed as
well. Weights are random: what is found does not change how long looking takes. Other boxes are counted and told
only: an untrained network is as sure of one box as of the next, and large JPEGs are decoded at a fraction of their
size; that both ways find the same is for tests/prelabel/models/test_image_batches.py to say.

    python benchmarks/bench_detector_pipelined.py [--figures N] [--rounds N] [--batch N] [--models N]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torchvision.transforms.functional import pil_to_tensor

from annotator.domain.machine import cores
from prelabel.models.faster_rcnn import MOBILENET_320, FasterRcnn, architecture_of
from prelabel.models.fusing import fused
from prelabel.models.image_batches import detect_files
from prelabel.models.protocols import Detections
from prelabel.models.torchvision_detector import TorchvisionDetector
from prelabel.predict import open_image
from prelabel.synth.figures import drawn_files, write_figures

FIGURES, ROUNDS = 48, 5
#: Times the naive loop.
PROMISED = 1.6
#: Pixels that a box may differ by: sums in another order.
SAME = 0.5

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def naive(detector: TorchvisionDetector, files: list[Path]) -> list[Detections]:
    return [detector.detect([open_image(path)])[0] for path in files]


def torchvisions(network: Any, files: list[Path]) -> list[Any]:
    with torch.inference_mode():
        return [network([pil_to_tensor(open_image(path).convert("RGB")) / 255])[0] for path in files]


def piped(detector: TorchvisionDetector, files: list[Path], models: int | None) -> list[Detections]:
    return [each.detections for each in detect_files(detector, enumerate(files), models=models)]


def differ(ours: list[Detections], theirs: list[Detections]) -> int:
    """Figures whose boxes are not the same."""
    return sum(
        len(one) != len(other) or not np.allclose(one.boxes, other.boxes, atol=SAME)
        for one, other in zip(ours, theirs, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--batch", type=int, default=None)
    parser.add_argument("--models", type=int, default=None)
    given = parser.parse_args()
    torch.manual_seed(0)
    plain = FasterRcnn(architecture_of(MOBILENET_320))
    network = plain.net.eval()
    network.transform.min_size, network.transform.max_size = (plain.sizing.shorter,), plain.sizing.longer
    module = FasterRcnn(architecture_of(MOBILENET_320))
    module.load_state_dict(plain.state_dict())
    cpu = torch.device("cpu")
    detector = TorchvisionDetector(fused(module), version="random", device=cpu, threshold=0.05, batch=given.batch)
    with tempfile.TemporaryDirectory() as folder:
        write_figures(drawn_files(given.figures, processes=1), Path(folder))
        files = sorted(path for path in Path(folder).iterdir() if path.suffix in (".png", ".jpg"))
        naive(detector, files[:4])  # the first runs make ready what is kept
        piped(detector, files[:8], given.models)
        times: list[tuple[float, float, float]] = []
        different = 0
        for _ in range(given.rounds):
            slow, one_by_one = timed(lambda: naive(detector, files))
            fast, together = timed(lambda: piped(detector, files, given.models))
            usual, _ = timed(lambda: torchvisions(network, files))
            times.append((slow, fast, usual))
            different = max(different, differ(together, one_by_one))
    ratio = statistics.median(slow / fast for slow, fast, _ in times)
    others = statistics.median(usual / fast for _, fast, usual in times)
    slow, fast, usual = (1000 * statistics.median(each) / len(files) for each in zip(*times, strict=True))
    print(f"{len(files)} figures, {cores()} cores, {given.rounds} rounds; milliseconds a figure (medians)")
    print(f"  naive loop, same network  {slow:7.1f}")
    print(f"  naive loop, torchvision's {usual:7.1f}")
    print(f"  pipelined                 {fast:7.1f}")
    print(f"  times the naive loop      {ratio:7.2f} (promised {PROMISED:g}); torchvision's {others:.2f}")
    print(f"  figures with other boxes  {different:7d}")
    if ratio < PROMISED:
        sys.exit(f"slower than promised: less than {PROMISED:g} times the naive loop")


if __name__ == "__main__":
    main()
