"""A report on 217,060 figures by three annotators, from JSONL, against decoding alone.

Decoding alone is what anybody pays: every line of the file into typed structs by msgspec, with all its values,
nothing made of them, in one process. The promises: at most 4 times that by the processor's time, and never more
than 1.5 GB of memory.
Each runs in a process of its own, so that its memory is its own; its processor's time counts the processes that it
starts. The file is written anew in a folder of its own (in --folder), 1 GB, and removed.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parent))

FIGURES, RUNS = 217_060, 3
FROM_JSONL, MEMORY = 4.0, 1.5
STEPS = ("decode", "columns from JSONL", "report from JSONL")


class Part(msgspec.Struct, gc=False):
    label: str
    box: tuple[float, float, float, float]
    subcaption: list[tuple[int, int]]


class Record(msgspec.Struct, gc=False):
    figure_id: str
    annotator: str
    phase: str
    status: str
    width: int
    height: int
    caption: str
    tokens: list[tuple[int, int]]
    subfigures: list[Part]
    saved_at: str
    revision: int = 1
    seeded_by: str | None = None


def decode(file: Path) -> None:
    """All lines into typed structs, a line at a time."""
    decoder = msgspec.json.Decoder(Record)
    with file.open("rb") as lines:
        for line in lines:
            decoder.decode(line)


def columns(file: Path) -> None:
    """Read only the columns that a report needs."""
    from agreement.score.subfigure_f1 import Mode
    from annotator.measurement.columns import read_sources
    from panelwise.files.jsonl import Problems

    read_sources([file], Problems(), lambda home, store: iter(()), Mode.PAPER, None)


def report(file: Path) -> None:
    """`agreement report`, as the command line has it."""
    from annotator.cli.agreement.main import main

    sys.argv = ["agreement", "report", str(file), "--out", str(file.with_suffix(".txt"))]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise


WORK: dict[str, Callable[[Path], None]] = {
    "decode": decode,
    "columns from JSONL": columns,
    "report from JSONL": report,
}


def child(step: str, file: Path) -> None:
    """One step, timed from within: starting Python is no part of it."""
    began, used = time.perf_counter(), _used()
    WORK[step](file)
    taken = (time.perf_counter() - began, _used() - used)
    print(json.dumps([*taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))


def _used() -> float:
    """Seconds of the processor, of this process and of those it has started and ended."""
    every = (resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in every)


def run(step: str, file: Path) -> tuple[float, float, float]:
    """Seconds, seconds of processor and GB."""
    command = [sys.executable, __file__, "--step", step, "--file", str(file)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, used, memory = json.loads(out.splitlines()[-1])
    return seconds, used, memory


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--step", choices=WORK)
    parser.add_argument("--file", type=Path)
    chosen = parser.parse_args()
    if chosen.step:
        child(chosen.step, chosen.file)
        return
    import corpora

    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        file = Path(folder) / "annotations.jsonl"
        size = chosen.file.stat().st_size if chosen.file else corpora.write(file, chosen.figures)
        file = chosen.file or file
        found: dict[str, list[tuple[float, float, float]]] = {step: [] for step in STEPS}
        for _ in range(chosen.runs):
            for step in STEPS:
                found[step].append(run(step, file))
    base = [seconds for seconds, _, _ in found["decode"]]
    print(f"{chosen.figures} figures, 3 annotators, {size / 1e9:.2f} GB")
    print(f"{chosen.runs} runs in turn: median seconds (range), processor seconds, ratio to decoding, peak memory")
    costs = {}
    for step in STEPS:
        seconds = [each for each, _, _ in found[step]]
        ratio = statistics.median(one / other for one, other in zip(seconds, base, strict=True))
        used = statistics.median(each for _, each, _ in found[step])
        costs[step] = statistics.median(
            one / other for (_, one, _), (_, other, _) in zip(found[step], found["decode"], strict=True)
        )
        peak = max(each for _, _, each in found[step])
        print(
            f"  {step:20} {statistics.median(seconds):7.2f} s  ({min(seconds):.2f} to {max(seconds):.2f})"
            f"  {ratio:6.3f}  {used:7.2f} s  {costs[step]:6.3f}  {peak:.2f} GB"
        )
    missed = [
        *(step for step in STEPS if "JSONL" in step and costs[step] > FROM_JSONL),
        *(f"memory of {step}" for step in STEPS if max(each for _, _, each in found[step]) > MEMORY),
    ]
    if missed:
        sys.exit(f"not as promised: {', '.join(missed)}")


if __name__ == "__main__":
    main()
