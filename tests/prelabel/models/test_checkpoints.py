from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from torch import nn

from panelwise.domain.errors import FormatError
from prelabel.models import checkpoints
from prelabel.models.checkpoints import About, find_checkpoint, load_weights, read_about, save_checkpoint

ABOUT = About(
    kind="box-crf",
    name="box",
    architecture={"width": 3},
    settings={"lr": 0.1},
    scores={"word_f1": 0.5},
    data_hash="ab" * 32,
)


def a_module(*, seed: int = 0, width: int = 3) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(2, width), nn.Linear(width, 1))


def edited(folder: Path, **changes: object) -> None:
    record = json.loads((folder / "config.json").read_text())
    record.update(changes)
    (folder / "config.json").write_text(json.dumps({k: v for k, v in record.items() if v is not None}))


def test_a_checkpoint_reads_back_as_it_was_saved(tmp_path: Path) -> None:
    module = a_module()
    said = save_checkpoint(tmp_path / "m", module, ABOUT, write_extra=lambda folder: (folder / "extra").mkdir())
    about = read_about(tmp_path / "m", kind="box-crf")
    other = a_module(seed=1)
    load_weights(tmp_path / "m", other)
    assert about == said
    assert (about.architecture, about.settings, about.scores) == ({"width": 3}, {"lr": 0.1}, {"word_f1": 0.5})
    assert about.made_at.endswith("Z")
    assert all(torch.equal(a, b) for a, b in zip(module.parameters(), other.parameters(), strict=True))
    assert (tmp_path / "m" / "extra").is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]


def test_tensors_that_are_one_are_kept_as_one(tmp_path: Path) -> None:
    module = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    module["b"].weight = module["a"].weight
    save_checkpoint(tmp_path / "m", module, ABOUT)
    other = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    other["b"].weight = other["a"].weight
    load_weights(tmp_path / "m", other)
    assert torch.equal(other["b"].weight, module["a"].weight)


def test_other_weights_are_another_version(tmp_path: Path) -> None:
    first = save_checkpoint(tmp_path / "a", a_module(), ABOUT).version
    again = save_checkpoint(tmp_path / "b", a_module(), ABOUT).version
    other = save_checkpoint(tmp_path / "c", a_module(seed=1), ABOUT).version
    assert first == again != other
    assert first.startswith("box-")
    assert len(first) == len("box-") + 8


def test_the_best_of_a_training_is_found_in_its_folder(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "run" / "best", a_module(), ABOUT)
    assert (
        find_checkpoint(tmp_path / "run")
        == find_checkpoint(tmp_path / "run" / "best")
        == tmp_path / "run" / "best"
    )
    assert read_about(tmp_path / "run").name == "box"


def test_a_new_checkpoint_takes_the_place_of_the_old_one_whole(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT, write_extra=lambda folder: (folder / "old").mkdir())
    said = save_checkpoint(tmp_path / "m", a_module(seed=2), ABOUT)
    assert read_about(tmp_path / "m").version == said.version
    assert not (tmp_path / "m" / "old").exists()


def test_what_cannot_be_saved_leaves_the_old_one(tmp_path: Path) -> None:
    said = save_checkpoint(tmp_path / "m", a_module(), ABOUT)

    def failing(folder: Path) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        save_checkpoint(tmp_path / "m", a_module(seed=2), ABOUT, write_extra=failing)
    assert read_about(tmp_path / "m").version == said.version
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]


def test_a_kill_between_old_and_new_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    (tmp_path / "m").rename(tmp_path / ".m.before")
    assert read_about(tmp_path / "m").version == said.version
    assert (tmp_path / "m" / "model.safetensors").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "delay", [pytest.param(0.0, marks=pytest.mark.soak), 0.013, pytest.param(0.031, marks=pytest.mark.soak)]
)
def test_a_process_killed_while_it_saves_leaves_a_checkpoint_that_opens(tmp_path: Path, delay: float) -> None:
    code = (
        "import sys, torch; from pathlib import Path; from torch import nn\n"
        "from prelabel.models.checkpoints import About, save_checkpoint\n"
        "about = About(kind='box-crf', name='box', architecture={})\n"
        "for seed in range(100000):\n"
        "    torch.manual_seed(seed)\n"
        "    save_checkpoint(Path(sys.argv[1]), nn.Linear(50, 50), about); print(seed, flush=True)\n"
    )
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": f"{root}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-c", code, str(tmp_path / "m")]
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert read_about(tmp_path / "m").kind == "box-crf"
    load_weights(tmp_path / "m", nn.Linear(50, 50))


def test_a_folder_with_something_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.tex").write_text("x")
    with pytest.raises(FormatError, match="holds something else than a checkpoint"):
        save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    assert (tmp_path / "m" / "thesis.tex").read_text() == "x"


@pytest.mark.slow
def test_what_a_killed_save_left_is_removed_by_the_next(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from torch import nn\n"
        "from prelabel.models.checkpoints import About, save_checkpoint\n"
        "save_checkpoint(Path(sys.argv[1]), nn.Linear(2, 2), About('box-crf', 'box-crf', {}),\n"
        "    write_extra=lambda _: os.kill(os.getpid(), 9))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m[1]")], cwd=Path(__file__).parents[3])
    assert [each.name[:6] for each in tmp_path.iterdir()] == [".m[1]."]
    (tmp_path / ".m[1].notes").mkdir()
    save_checkpoint(tmp_path / "m[1]", a_module(), ABOUT)
    assert {each.name for each in tmp_path.iterdir()} == {"m[1]", ".m[1].notes"}


def test_no_folder_and_no_checkpoint_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder; name a checkpoint"):
        read_about(tmp_path / "none")
    with pytest.raises(FormatError, match=r"is no checkpoint \(config.json is missing\)"):
        read_about(tmp_path)


def test_missing_weights_are_one_line(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    (tmp_path / "m" / "model.safetensors").unlink()
    for read in (lambda: read_about(tmp_path / "m"), lambda: load_weights(tmp_path / "m", a_module())):
        with pytest.raises(FormatError, match=r"has no weights \(model.safetensors is missing\)"):
            read()


def test_another_kind_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    with pytest.raises(FormatError, match='holds a "box-crf", and a "detector" is wanted'):
        read_about(tmp_path / "m", kind="detector")


def test_another_architecture_is_one_line(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    with pytest.raises(FormatError, match="of another architecture") as caught:
        load_weights(tmp_path / "m", a_module(width=4))
    assert "\n" not in str(caught.value)


def test_damaged_weights_are_one_line(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    file = tmp_path / "m" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(FormatError, match=r"is damaged .* get a whole copy"):
        load_weights(tmp_path / "m", a_module())


def test_a_changed_byte_in_the_weights_is_one_line(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    file = tmp_path / "m" / "model.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(FormatError, match=r"differs from the weights that config\.json was written with"):
        load_weights(tmp_path / "m", a_module())
    config = tmp_path / "m" / "config.json"
    config.write_text(re.sub('"weights_hash": "[0-9a-f]+"', '"weights_hash": ""', config.read_text()))
    load_weights(tmp_path / "m", a_module())  # written without a hash


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not valid JSON"),
        (b"[]", "holds no object"),
        (b"{}", '"format" is missing'),
        (b'{"format": 1}', '"kind" is missing'),
        (b'{"format": 1, "kind": "oracle", "name": "x"}', '"kind" is "oracle"; it can be detector'),
        (b'{"format": 1, "kind": "detector"}', '"name" is missing'),
        (b'{"format": "one"}', '"format" holds a text, not a number'),
        (b'{"format": 1, "kind": "detector", "name": "x", "architecture": 3}', '"architecture" holds a number'),
    ],
)
def test_a_damaged_config_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    (tmp_path / "m" / "config.json").write_bytes(content)
    with pytest.raises(FormatError) as caught:
        read_about(tmp_path / "m")
    assert said in str(caught.value)
    assert "config.json" in str(caught.value)


def test_a_newer_layout_is_refused_and_another_version_only_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(tmp_path / "m", a_module(), ABOUT)
    told: list[str] = []
    read_about(tmp_path / "m", warn=told.append)
    assert told == []
    edited(tmp_path / "m", code_version="0.0.9")
    assert read_about(tmp_path / "m", warn=told.append).code_version == "0.0.9"
    assert told == [f"{tmp_path / 'm'}: was trained by version 0.0.9, this is {checkpoints.code_version()}"]
    edited(tmp_path / "m", format=checkpoints.FORMAT + 1, code_version="9.0")
    with pytest.raises(FormatError, match=r'"format" is 2, and this version reads up to 1; .* by 9\.0: update'):
        read_about(tmp_path / "m")


def test_the_version_of_code_that_is_not_installed_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        raise checkpoints.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(checkpoints.metadata, "version", nothing)
    assert checkpoints.code_version() == "unknown"
