"""Trainings on a GPU as users start them: by torchrun, killed and resumed, with mixed precision and without.

Part of `gpu.py`. Every kind learns from random weights on simulated figures in files; seconds of an epoch are
those of its log, the first left out.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

#: Seconds after which a training that does not come to its end is killed.
PATIENCE = 90.0


def train(kind: str, gold: Path, out: Path, *more: str, epochs: int) -> subprocess.Popen[bytes]:
    """Start torchrun with one process; what it prints goes to a file beside `out`."""
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=1",
        "-m",
        "prelabel",
    ]
    command += ["train", kind, str(gold / "annotations.jsonl"), "--figures", str(gold / "figures.jsonl")]
    command += ["--out", str(out), "--epochs", str(epochs), *more]
    with out.with_suffix(".txt").open("wb") as printed:
        return subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT)


def kill(torchrun: subprocess.Popen[bytes]) -> None:
    """Kill the training itself, on which torchrun ends too."""
    for child in Path(f"/proc/{torchrun.pid}/task/{torchrun.pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    torchrun.wait(PATIENCE)


def epochs_of(out: Path) -> list[float]:
    """Seconds of each epoch in the log."""
    log = out / "log.jsonl"
    return [json.loads(line)["seconds"] for line in log.read_text().splitlines()] if log.exists() else []


def resumed(kind: str, gold: Path, out: Path, *more: str) -> tuple[list[float], bool]:
    """Seconds of each epoch of a training that is killed after its first and run again for two more, and whether
    it went on where it was."""
    first = train(kind, gold, out, *more, epochs=1000)
    end = time.monotonic() + PATIENCE
    while not epochs_of(out) and first.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    if first.poll() is None:
        kill(first)
    printed = out.with_suffix(".txt")
    done = len(epochs_of(out))
    if not done:
        sys.exit(f"{kind}: no epoch in {PATIENCE:.0f} seconds: {printed.read_text()[-2000:]}")
    second = train(kind, gold, out, *more, epochs=done + 2)
    try:
        second.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        kill(second)
    seconds = epochs_of(out)
    went_on = second.returncode == 0 and len(seconds) == done + 2 and "resuming after" in printed.read_text()
    if not went_on:
        print(printed.read_text()[-2000:], file=sys.stderr)
    return seconds, went_on


def seconds_an_epoch(seconds: Sequence[float]) -> float:
    """Of the fastest after the first, in which libraries are loaded and kernels chosen."""
    return min(seconds[1:])
