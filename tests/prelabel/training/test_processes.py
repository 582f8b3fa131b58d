from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy_task import ABOUT, Toy

from prelabel.models.checkpoints import read_about
from prelabel.training.loop.epochs import Settings, fit
from prelabel.training.loop.processes import Processes

TESTS = Path(__file__).parents[2]
CODE = """
import hashlib, os, sys
from pathlib import Path
from toy_task import ABOUT, Toy
from prelabel.training.loop.epochs import Settings, fit
task = Toy(seed=int(sys.argv[2]))
settings = Settings(lr=0.05, epochs=int(sys.argv[3]), device="cpu")
found = fit(task, settings, Path(sys.argv[1]), about=ABOUT, warn=print)
state = b"".join(each.detach().numpy().tobytes() for each in task.module.parameters())
print("RANK", os.environ.get("RANK"), hashlib.sha256(state).hexdigest(), found.epochs, flush=True)
"""


def torchrun(folder: Path, out: Path, *, epochs: int, processes: int = 2) -> str:
    script = folder / "child.py"
    script.write_text(CODE)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{TESTS}:{TESTS.parent}:{os.environ.get('PYTHONPATH', '')}",
    }
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"),
        *(str(script), str(out), "0", str(epochs)),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_two_processes_train_one_model_and_one_writes(tmp_path: Path) -> None:
    # One alone begins, and two go on from there.
    begun = fit(Toy(), Settings(lr=0.05, epochs=1, device="cpu"), tmp_path / "out", about=ABOUT)
    out = torchrun(tmp_path, tmp_path / "out", epochs=2)
    ends = [line.split() for line in out.splitlines() if line.startswith("RANK")]
    assert sorted(end[1] for end in ends) == ["0", "1"]
    # Gradients are averaged, so both end with the same weights, and know the same epochs.
    assert len({(end[2], end[3]) for end in ends}) == 1
    assert [line.split(":")[0] for line in out.splitlines() if line.startswith("epoch ")] == ["epoch 2"]
    log = [json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()]
    # Four batches an epoch: two for each of two.
    assert [entry["batches"] for entry in log] == [4, 2]
    assert log[0]["scores"] == begun.scores
    assert read_about(tmp_path / "out").scores == max(log, key=lambda entry: entry["scores"]["accuracy"])["scores"]


def test_batches_are_dealt_out_evenly_and_none_twice() -> None:
    parts = [list(Processes(rank, 3).dealt(range(11))) for rank in range(3)]
    assert parts == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert list(Processes().dealt(range(4))) == [0, 1, 2, 3]


def test_a_process_alone_is_the_first_and_agrees_with_itself() -> None:
    alone = Processes()
    assert alone.first
    assert alone.agreed({"a": 1.0}) == {"a": 1.0}
    assert not Processes(1, 2).first
