from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from toy_task import ABOUT, Toy

from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.models.checkpoints import About, load_weights, read_about
from prelabel.training.loop import epochs as loop
from prelabel.training.loop.epochs import Settings, fit

SETTINGS = Settings(lr=0.05, epochs=4, device="cpu", weight_decay=0.01)
TESTS = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than these trainings; how it looks is tested elsewhere."""
    monkeypatch.setattr(loop, "draw_curves", lambda path, history, **_: path.write_bytes(b"curves"))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    task = Toy(seed=99)
    load_weights(folder, task.module)
    return task.module.state_dict()


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(a[key], b[key]) for key in a)


def test_training_learns_and_leaves_a_checkpoint_a_log_and_a_picture(tmp_path: Path) -> None:
    told: list[str] = []
    found = fit(Toy(), Settings(lr=0.05, epochs=12, device="cpu"), tmp_path / "out", about=ABOUT, warn=told.append)
    log = [json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()]
    about = read_about(tmp_path / "out", kind="classifier")
    assert found.scores["accuracy"] > 0.7
    assert log[-1]["loss"] < log[0]["loss"]
    assert [entry["epoch"] for entry in log] == list(range(1, found.epochs + 1))
    assert about.scores == found.scores
    assert about.version == found.about.version
    assert about.architecture == {"width": 8}
    assert (tmp_path / "out" / "best" / "beside.txt").read_text() == "here"
    assert (tmp_path / "out" / "curves.png").read_bytes() == b"curves"
    assert len(told) == found.epochs


def test_it_stops_when_five_epochs_bring_nothing_and_keeps_the_best(tmp_path: Path) -> None:
    scores = [0.5, 0.7, 0.6, 0.7, 0.6, 0.5, 0.4, 0.9]
    found = fit(Toy(scores=scores), Settings(lr=0.05, device="cpu"), tmp_path, about=ABOUT)
    assert (found.epochs, found.best, found.scores["accuracy"]) == (7, 2, 0.7)
    assert found.why == "no better accuracy for 5 epochs"
    assert read_about(tmp_path).scores == {"accuracy": 0.7}


def test_patience_does_not_count_in_the_first_steps(tmp_path: Path) -> None:
    """Four steps an epoch: the fourth epoch is the first that counts."""
    scores = [0.0] * 5 + [0.5] + [0.4] * 9
    settings = Settings(lr=0.05, device="cpu", patience=3, grace=15)
    found = fit(Toy(scores=scores), settings, tmp_path / "graced", about=ABOUT)
    assert (found.epochs, found.best, found.why) == (9, 6, "no better accuracy for 3 epochs")
    found = fit(Toy(scores=scores), replace(settings, grace=0), tmp_path / "not", about=ABOUT)
    assert (found.epochs, found.best) == (4, 1)
    found = fit(Toy(scores=[0.0]), settings, tmp_path / "never", about=ABOUT)
    assert (found.epochs, found.best) == (6, 1)


@pytest.mark.parametrize(
    ("scores", "doubt"),
    [
        ([0.6, 0.5], "the first of 2 epochs was the best"),
        ([0.1, 0.2], "accuracy 0.200 is no better than 0.300"),
        ([0.3, 0.3], "no better than 0.300"),
        ([float("nan"), float("nan")], "no better than 0.300"),
        ([0.4, 0.6], ""),
        ([0.6], ""),
    ],
)
def test_a_best_first_epoch_and_a_score_below_the_trivial_one_are_doubted(
    scores: list[float], doubt: str, tmp_path: Path
) -> None:
    task = Toy(scores=scores)
    task.trivial = 0.3
    found = fit(task, replace(SETTINGS, epochs=len(scores)), tmp_path, about=ABOUT)
    assert found.doubt.startswith(doubt) if not doubt.startswith("no better") else doubt in found.doubt
    assert bool(found.doubt) is bool(doubt)


def test_a_score_that_is_no_number_is_never_better(tmp_path: Path) -> None:
    found = fit(Toy(scores=[float("nan"), 0.2, float("nan")]), SETTINGS, tmp_path, about=ABOUT)
    assert (found.best, found.scores["accuracy"]) == (2, 0.2)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        fit(Toy(), Settings(lr=0.05, epochs=2, device="cpu", seed=seed), tmp_path / name, about=ABOUT)
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "c"))


def test_more_epochs_go_on_where_fewer_ended(tmp_path: Path) -> None:
    rising = [0.1, 0.2, 0.3, 0.4]
    fit(Toy(scores=rising), SETTINGS, tmp_path / "whole", about=ABOUT)
    fit(
        Toy(scores=rising),
        Settings(lr=0.05, epochs=2, device="cpu", weight_decay=0.01),
        tmp_path / "parts",
        about=ABOUT,
    )
    # A task made anew, with other random weights: all must come from last.pt.
    fit(Toy(seed=5, scores=rising[2:]), SETTINGS, tmp_path / "parts", about=ABOUT)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))


def run_child(out: Path, *, stuck_in: int = 0, epochs: int = 5) -> subprocess.Popen[str]:
    code = (
        "import sys\n"
        "from pathlib import Path; from toy_task import ABOUT, Toy\n"
        "from prelabel.training.loop.epochs import Settings, fit\n"
        f"fit(Toy(stuck_in={stuck_in}, scores=[.1, .2, .3, .4, .5, .6]), "
        f"Settings(lr=.05, epochs={epochs}, device='cpu'), Path(sys.argv[1]), about=ABOUT)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}:{TESTS.parent}:{os.environ.get('PYTHONPATH', '')}"}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(out)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_training_killed_in_the_middle_and_resumed_equals_one_that_was_not(tmp_path: Path) -> None:
    settings = Settings(lr=0.05, epochs=5, device="cpu")
    scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    fit(Toy(scores=scores), settings, tmp_path / "whole", about=ABOUT)
    child = run_child(tmp_path / "killed", stuck_in=4)
    assert child.stdout is not None
    assert child.stdout.readline() == "stuck\n"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert len((tmp_path / "killed" / "log.jsonl").read_text().splitlines()) == 3
    fit(Toy(seed=3, scores=scores[3:]), settings, tmp_path / "killed", about=ABOUT)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    kept = [
        [json.loads(line) for line in (tmp_path / name / "log.jsonl").read_text().splitlines()]
        for name in ("whole", "killed")
    ]
    whole, killed = ([(e["epoch"], e["loss"], e["scores"]) for e in log] for log in kept)
    assert whole == killed
    assert read_about(tmp_path / "whole").weights_hash == read_about(tmp_path / "killed").weights_hash


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_kill_between_checkpoint_and_state_is_made_good(
    writes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, scores = replace(SETTINGS, epochs=3), [0.1, 0.2, 0.3]
    fit(Toy(scores=scores), settings, tmp_path / "whole", about=ABOUT)
    left = iter(range(writes))
    write = loop.write_state

    def dying(*arguments: object) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        write(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(loop, "write_state", dying)
        with pytest.raises(KeyboardInterrupt):
            fit(Toy(scores=scores), settings, tmp_path / "killed", about=ABOUT)
    assert read_about(tmp_path / "killed").scores == {"accuracy": scores[writes - 1]}
    fit(Toy(seed=4, scores=scores[writes - 1 :]), settings, tmp_path / "killed", about=ABOUT)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "killed"))


def test_a_training_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    told: list[str] = []
    settings = Settings(lr=0.05, device="cpu", patience=2)
    first = fit(Toy(scores=[0.9, 0.1, 0.1]), settings, tmp_path, about=ABOUT)
    before = (tmp_path / "best" / "model.safetensors").stat().st_mtime_ns
    second = fit(Toy(scores=[1.0]), settings, tmp_path, about=ABOUT, warn=told.append)
    assert (second.epochs, second.scores, second.why) == (first.epochs, first.scores, first.why)
    assert second.about.version == first.about.version
    assert (tmp_path / "best" / "model.safetensors").stat().st_mtime_ns == before
    assert told == [f"{tmp_path}: was done before"]


@pytest.mark.parametrize(
    ("settings", "about", "said"),
    [
        (Settings(lr=0.05, epochs=4, device="cpu"), ABOUT, "weight_decay 0.01 there, 0.0 now"),
        (
            SETTINGS,
            replace(ABOUT, data_hash="e"),
            "other gold",
        ),
    ],
)
def test_other_settings_or_gold_do_not_go_on_with_a_training(
    tmp_path: Path, settings: Settings, about: About, said: str
) -> None:
    fit(Toy(), Settings(lr=0.05, epochs=1, device="cpu", weight_decay=0.01), tmp_path, about=ABOUT)
    with pytest.raises(FormatError, match=said):
        fit(Toy(), settings, tmp_path, about=about)


def test_fresh_begins_anew(tmp_path: Path) -> None:
    fit(Toy(), SETTINGS, tmp_path, about=ABOUT)
    found = fit(Toy(), Settings(lr=0.02, epochs=1, device="cpu"), tmp_path, about=ABOUT, resume=False)
    assert found.epochs == 1
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 1


def test_a_model_without_its_state_is_not_written_over(tmp_path: Path) -> None:
    fit(Toy(), SETTINGS, tmp_path, about=ABOUT)
    (tmp_path / "last.pt").unlink()
    with pytest.raises(AnnotatorError, match=r"no last\.pt to resume from; .* --fresh"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 cut off", b"\x80\x02s"])
def test_a_damaged_state_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "last.pt").write_bytes(content)
    with pytest.raises(FormatError, match=r"is damaged .*start over with --fresh"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)


def test_a_changed_byte_in_the_state_is_one_line(tmp_path: Path) -> None:
    fit(Toy(), replace(SETTINGS, epochs=1), tmp_path, about=ABOUT)
    with zipfile.ZipFile(tmp_path / "last.pt") as archive:
        tensor = next(each for each in archive.infolist() if "/data/" in each.filename)
        content = archive.read(tensor)
    data = bytearray((tmp_path / "last.pt").read_bytes())
    data[data.index(content, tensor.header_offset)] ^= 1
    (tmp_path / "last.pt").write_bytes(data)
    with pytest.raises(FormatError, match=r"is damaged \(BadZipFile\); start over with --fresh"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)


def test_a_damaged_table_of_contents_in_the_state_is_one_line(tmp_path: Path) -> None:
    fit(Toy(), replace(SETTINGS, epochs=1), tmp_path, about=ABOUT)
    data = bytearray((tmp_path / "last.pt").read_bytes())
    data[data.rindex(b"PK\x01\x02")] ^= 1
    (tmp_path / "last.pt").write_bytes(data)
    with pytest.raises(FormatError, match=r"is damaged \(BadZipFile\); start over with --fresh"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)


def test_the_state_of_another_architecture_is_one_line(tmp_path: Path) -> None:
    fit(Toy(), replace(SETTINGS, epochs=1), tmp_path, about=ABOUT)
    wide = Toy()
    wide.module = torch.nn.Linear(2, 2)
    with pytest.raises(FormatError, match="of another architecture; name another folder, or start over"):
        fit(wide, SETTINGS, tmp_path, about=ABOUT)


@pytest.mark.parametrize("part", ["module", "optimiser"])
def test_a_state_with_something_else_for_tensors_is_one_line(part: str, tmp_path: Path) -> None:
    fit(Toy(), replace(SETTINGS, epochs=1), tmp_path, about=ABOUT)
    kept = torch.load(tmp_path / "last.pt", weights_only=True)
    torch.save({**kept, part: None}, tmp_path / "last.pt")
    with pytest.raises(FormatError, match="of another architecture; name another folder, or start over"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)


def test_a_state_of_a_later_version_is_one_line(tmp_path: Path) -> None:
    fit(Toy(), replace(SETTINGS, epochs=1), tmp_path, about=ABOUT)
    kept = torch.load(tmp_path / "last.pt", weights_only=True)
    torch.save({**kept, "format": 2}, tmp_path / "last.pt")
    with pytest.raises(FormatError, match="is of a later version; update, or start over with --fresh"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)


def test_a_state_that_could_run_code_is_not_opened(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (os.mkdir, (str(tmp_path / "broken-in"),))

    torch.save({"format": 1, "state": Evil()}, tmp_path / "last.pt")
    with pytest.raises(FormatError, match=r"is damaged \(UnpicklingError\)"):
        fit(Toy(), SETTINGS, tmp_path, about=ABOUT)
    assert not (tmp_path / "broken-in").exists()


def test_a_loss_that_is_no_number_is_one_line_and_costs_no_checkpoint(tmp_path: Path) -> None:
    class Bursting(Toy):
        def loss(self, batch: object) -> object:
            found = super().loss(batch)
            return found * float("nan") if self._validated >= 2 else found

    with pytest.raises(
        AnnotatorError, match=r"loss of epoch 3 is no number any more; run .* lower --lr than 0\.05"
    ):
        fit(Bursting(), SETTINGS, tmp_path, about=ABOUT)
    assert all(bool(torch.isfinite(value).all()) for value in weights(tmp_path).values())
    told: list[str] = []
    found = fit(Toy(), replace(SETTINGS, lr=0.01), tmp_path, about=ABOUT, warn=told.append)
    assert told[0] == f"{tmp_path}: resuming after 2 epochs, with --lr 0.01 (0.05 before)"
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [entry["lr"] for entry in log] == [0.05, 0.05, 0.01, 0.01]
    assert (found.epochs, read_about(tmp_path).settings["lr"]) == (4, 0.01 if found.best > 2 else 0.05)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_step_without_a_finite_loss_is_skipped_and_counted(value: float, tmp_path: Path) -> None:
    class Once(Toy):
        """The second loss of all is no number."""

        calls = 0

        def loss(self, batch: object) -> object:
            self.calls += 1
            found = super().loss(batch)
            return found * value if self.calls == 2 else found

    told: list[str] = []
    task = Once()
    fit(task, SETTINGS, tmp_path, about=ABOUT, warn=told.append)
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [entry["skipped"] for entry in log] == [1, 0, 0, 0]
    assert all(bool(torch.isfinite(each).all()) for each in task.module.state_dict().values())
    assert "1 step skipped" in told[0]
    assert "skipped" not in told[1]


def test_many_such_steps_in_a_row_end_an_epoch_that_has_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Never(Toy):
        seen = 0

        def loss(self, batch: object) -> object:
            self.seen += 1
            return super().loss(batch) * float("nan")

    monkeypatch.setattr(loop, "MOST_SKIPPED", 2)
    task = Never()
    with pytest.raises(AnnotatorError, match="loss of epoch 1 is no number any more"):
        fit(task, SETTINGS, tmp_path, about=ABOUT)
    assert task.seen == 2


def test_memory_that_runs_out_is_one_line(tmp_path: Path) -> None:
    class Huge(Toy):
        def loss(self, batch: object) -> object:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")

    with pytest.raises(AnnotatorError, match="out of memory in training; give a smaller --batch"):
        fit(Huge(), SETTINGS, tmp_path, about=ABOUT)


def test_nothing_to_train_on_is_one_line(tmp_path: Path) -> None:
    class Empty(Toy):
        def batches(self, split: str, epoch: int, seed: int) -> Sequence[object]:
            return ()

    with pytest.raises(AnnotatorError, match="no batch to train on"):
        fit(Empty(), SETTINGS, tmp_path, about=ABOUT)


def test_minutes_end_a_training_within_an_epoch(tmp_path: Path) -> None:
    settings = Settings(lr=0.05, device="cpu", minutes=1e-9)
    found = fit(Toy(), settings, tmp_path, about=ABOUT)
    log = json.loads((tmp_path / "log.jsonl").read_text())
    assert (found.epochs, log["batches"]) == (1, 1)
    assert found.why.endswith("minutes are over")


def test_whoever_asks_can_end_a_training(tmp_path: Path) -> None:
    asked: list[tuple[int, float]] = []

    def stop(epoch: int, score: float) -> bool:
        asked.append((epoch, score))
        return epoch == 2

    found = fit(Toy(scores=[0.3, 0.2, 0.4]), SETTINGS, tmp_path, about=ABOUT, stop=stop)
    assert found.epochs == 2
    assert asked == [(1, 0.3), (2, 0.3)]


def test_the_learning_rate_warms_up(tmp_path: Path) -> None:
    fit(Toy(), Settings(lr=0.05, epochs=3, device="cpu", warmup=8), tmp_path, about=ABOUT)
    rates = [json.loads(line)["lr"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert rates == pytest.approx([0.025, 0.05, 0.05])


def test_gradients_are_clipped(tmp_path: Path) -> None:
    task = Toy()
    fit(task, Settings(lr=0.05, epochs=1, device="cpu", clip=1e-12), tmp_path, about=ABOUT)
    norms = [float(each.grad.norm()) for each in task.module.parameters() if each.grad is not None]
    assert max(norms) <= 1e-12
