"""`prelabel run` with the 320 detector over files, against one figure after the other.

Read ahead, in batches and side by side, against the naive loop (decode, then predict, one figure at a time), by
the median of the ratios of a few rounds that follow each other, so that a busy machine is busy for both. The naive
loop has the same model, normalisation folded in, and the threads that torch takes by itself; torchvision's own
call, boxes only, is timed as well. Weights are random, made to find about as many boxes as a trained network, and
most of them both ways: sums are in another order, and large JPEGs are decoded at a fraction of their size.

What ratio is possible depends on the machine, so none is promised: the profile shows what the naive loop leaves
unused. It decodes on one core while the others wait, and its network gains from more threads what the machine
gives. All cores busy take (decoding + network on one thread) / cores a figure at least; the naive loop takes
decoding + network on all threads. The ratio of the two is the most that another order of the same work can reach:
if the network ran `cores` times as fast on all threads, only the cores that wait while one decodes were to gain.

    python benchmarks/bench_detector_pipelined.py [--figures N] [--rounds N] [--batch N]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from choosy import make_choosy
from torchvision.ops import box_iou
from torchvision.transforms.functional import pil_to_tensor

from panelwise.domain.annotation import Prediction
from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise.runtime.parallel import cores
from panelwise_simulator.figures import drawn_files, write_figures
from prelabel.detectors.batched import BatchedDetector, fused
from prelabel.detectors.faster_rcnn import MOBILENET_320, FasterRcnn, architecture_of
from prelabel.runs.engines import PlainEngine
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import Recipe
from prelabel.runs.predict import Job, figure_of, open_image

FIGURES, ROUNDS = 192, 3
#: Intersection over union of boxes that are the same.
SAME = 0.9

Result = TypeVar("Result")


class Seconds(NamedTuple):
    """clock: gone by. work: of all cores together, which a busy machine does not lengthen by waiting."""

    clock: float
    work: float

    def over(self, count: int) -> Seconds:
        return Seconds(self.clock / count, self.work / count)


def timed(work: Callable[[], Result]) -> tuple[Seconds, Result]:
    began, spent = time.perf_counter(), time.process_time()
    result = work()
    return Seconds(time.perf_counter() - began, time.process_time() - spent), result


def naive(model: FigureModel, jobs: Sequence[Job]) -> list[Prediction]:
    return [model.predict(figure, open_image(path)) for figure, path in jobs]


def torchvisions(network: Any, jobs: Sequence[Job]) -> list[Any]:
    with torch.inference_mode():
        return [network([pil_to_tensor(open_image(path).convert("RGB")) / 255])[0] for _, path in jobs]


def piped(model: FigureModel, jobs: Sequence[Job]) -> list[Prediction]:
    problems = Problems()
    found = [each for together in PlainEngine(model).run(jobs, problems) for each in together]
    if problems.lines:
        sys.exit("; ".join(problems.lines))
    return found


def profile(
    model: FigureModel, detector: BatchedDetector, jobs: Sequence[Job]
) -> tuple[Seconds, Seconds, Seconds]:
    """Seconds a figure: decoding and scaling, the network on one thread, and on as many as torch takes."""
    decoding, opened = timed(lambda: [model.opened(job) for job in jobs])
    items = [each.prepared for each in opened if not isinstance(each, str) and each.prepared is not None]
    all_threads = torch.get_num_threads()
    seconds = []
    for threads in (1, all_threads):
        torch.set_num_threads(threads)
        detector.predict(items[:1])
        seconds.append(timed(lambda: [detector.predict([each]) for each in items])[0])
    return decoding.over(len(jobs)), seconds[0].over(len(items)), seconds[1].over(len(items))


def shared(ours: Sequence[Prediction], theirs: Sequence[Prediction]) -> float:
    """The part of our boxes that they have as well."""
    same = total = 0
    for one, other in zip(ours, theirs, strict=True):
        boxes = [torch.tensor([each.box.as_list() for each in found.subfigures]) for found in (one, other)]
        same += int((box_iou(*boxes).amax(dim=1) >= SAME).sum())
        total += len(one.subfigures)
    return same / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--batch", type=int, default=None)
    given = parser.parse_args()
    torch.manual_seed(0)
    plain = FasterRcnn(architecture_of(MOBILENET_320))
    with tempfile.TemporaryDirectory() as folder:
        write_figures(drawn_files(given.figures, processes=1), Path(folder))
        jobs = [figure_of(each, Path(folder)) for each in read_figures(Path(folder) / "figures.jsonl", Problems())]
        make_choosy(plain, [open_image(path) for _, path in jobs[:8]])
        network = plain.net.eval()
        network.transform.min_size, network.transform.max_size = (plain.sizing.shorter,), plain.sizing.longer
        module = FasterRcnn(architecture_of(MOBILENET_320))
        module.load_state_dict(plain.state_dict())
        cpu = torch.device("cpu")
        detector = BatchedDetector(fused(module), version="random", device=cpu, batch=given.batch)
        network.roi_heads.score_thresh = detector.threshold
        model = FigureModel(Recipe(batch=given.batch), detector=detector)
        naive(model, jobs[:4])  # the first runs make ready what is kept
        piped(model, jobs[:8])
        decoding, alone, threaded = profile(model, detector, jobs[: given.figures // 3])
        times: list[tuple[Seconds, Seconds, Seconds]] = []
        for _ in range(given.rounds):
            slow, one_by_one = timed(lambda: naive(model, jobs))
            fast, together = timed(lambda: piped(model, jobs))
            usual, _ = timed(lambda: torchvisions(network, jobs))
            times.append((slow, fast, usual))
    ratio, others = (statistics.median(each[place].clock / each[1].clock for each in times) for place in (0, 2))
    work = statistics.median(slow.work / fast.work for slow, fast, _ in times)
    boxes = sum(len(each.subfigures) for each in together) / len(jobs)
    each_round = ", ".join(f"{slow.clock / fast.clock:.2f}" for slow, fast, _ in times)
    print(f"{len(jobs)} figures, {boxes:.1f} boxes each; {cores()} cores; milliseconds a figure (medians)")
    print(f"  {'':27} by the clock, of processor time")
    for place, name in enumerate(("naive loop, same network", "pipelined", "naive loop, torchvision's")):
        clock, spent = zip(*(each[place].over(len(jobs)) for each in times), strict=True)
        print(f"  {name:27} {1000 * statistics.median(clock):12.1f} {1000 * statistics.median(spent):12.1f}")
    print(f"  times the naive loop        {ratio:12.2f} ({each_round})")
    print(f"  processor time of the naive loop, in ours {work:.2f}")
    print(f"  times torchvision's         {others:12.2f}")
    print(f"  boxes found both ways       {shared(together, one_by_one):12.1%}")
    possible = cores() * (decoding.clock + threaded.clock) / (decoding.clock + alone.clock)
    idle = cores() * (decoding.work + alone.work / cores()) / (decoding.work + alone.work)
    print("profile, milliseconds a figure, by the clock and of processor time")
    for name, each in (
        ("decoding and scaling", decoding),
        ("network on one thread", alone),
        ("network on all threads", threaded),
    ):
        print(f"  {name:27} {1000 * each.clock:12.1f} {1000 * each.work:12.1f}")
    print(f"  the network on all threads is {alone.clock / threaded.clock:.2f} times as fast as on one")
    print(f"  most that can be had {possible:.2f} times the naive loop; {idle:.2f} if threads cost it nothing")


if __name__ == "__main__":
    main()
