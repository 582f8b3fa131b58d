from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.soak
def test_all_that_is_measured_on_a_gpu_runs_with_toys_on_a_cpu(tmp_path: Path) -> None:
    out = tmp_path / "gpu.json"
    run = subprocess.run(
        [sys.executable, "benchmarks/gpu.py", "--smoke", "--out", str(out)],
        cwd=REPOSITORY,
        env={
            **{key: value for key, value in os.environ.items() if key != "PANELWISE_SHARED_DATA"},
            "PYTHONPATH": str(REPOSITORY),
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(out.read_text())
    assert found["machine"][0] == "CPU"
    for key in (
        "detector_figures_a_second",
        "detector_alone_seconds",
        "text_tagger_seconds",
        "box_tagger_seconds",
    ):
        assert found[key] > 0
    assert 0 <= found["simulated_map"]["map"] <= 1
    assert found["gold_splitter"]["f1"] > 0.3
    for kind in ("detector", "detector-no-amp", "text-crf", "box-crf", "matcher"):
        assert found[f"{kind}_training"]["resumed"]
        assert len(found[f"{kind}_training"]["seconds"]) >= 3
    assert "NOT KEPT" not in run.stdout


def test_without_a_gpu_the_benchmark_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU; run benchmarks/gpu.py")
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    monkeypatch.setattr(sys, "argv", ["gpu.py"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(REPOSITORY / "benchmarks" / "gpu.py"), run_name="__main__")
    assert str(ended.value).startswith("device cuda: ")
    assert "\n" not in str(ended.value)
