"""Checkpoints that lie: one line each, no code of theirs runs, and no memory is taken for what they promise."""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.detectors.faster_rcnn import TINY, architecture_of, read_weights
from prelabel.models.checkpoints import MOST_SETTINGS, read_about
from prelabel.taggers.encoders import open_encoder

Spoil = Callable[[Path], object]
YOLOS = {"model_type": "yolos", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
YOLOS |= {"intermediate_size": 32, "image_size": [64, 64], "num_detection_tokens": 4}
BERT = {"model_type": "bert", "hidden_size": 10**6, "num_attention_heads": 10, "intermediate_size": 10**7}
HUGE = {"hidden_size": 10**6, "intermediate_size": 10**7}
#: Memory beyond what the libraries take, in MiB.
MOST_MEMORY = 400


class Evil:
    """Makes a file where it is unpickled."""

    def __init__(self, proof: Path) -> None:
        self._proof = proof

    def __reduce__(self) -> Any:
        return open, (str(self._proof), "w")


def proof(folder: Path) -> Path:
    """The file that shows that code of a checkpoint ran."""
    return folder.with_name("ran")


def own(folder: Path, weights: bytes, **changes: object) -> None:
    """A checkpoint of `prelabel train detector` with these weights."""
    record = {"format": 1, "kind": "detector", "name": "x", "architecture": architecture_of(TINY), **changes}
    (folder / "config.json").write_text(json.dumps(record))
    (folder / "model.safetensors").write_bytes(weights)


def others(folder: Path, **changes: object) -> None:
    """The config.json of a model of transformers, with a Python file beside it."""
    (folder / "config.json").write_text(json.dumps({**YOLOS, **changes}))
    (folder / "evil.py").write_text(f"open({str(proof(folder))!r}, 'w')\nclass Config: pass\nclass Model: pass\n")


def safetensors(header: bytes, *, length: int | None = None, data: bytes = b"\0" * 8) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def tensors(shape: list[int], offsets: list[int]) -> bytes:
    return safetensors(json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}).encode())


def torch_file(file: Path, content: bytes, *, compressed: bool = False) -> None:
    """A file as torch writes them, around any pickle."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("archive/data.pkl", content)
        archive.writestr("archive/version", "3\n")
        archive.writestr("archive/byteorder", "little")


def sparse(file: Path, size: int) -> None:
    with file.open("wb") as opened:
        opened.truncate(size)


def tree(depth: int) -> bytes:
    return b'{"format": 1, "architecture": ' + b"[" * depth + b"]" * depth + b"}"


CODE = {"AutoConfig": "evil.Config", "AutoModelForObjectDetection": "evil.Model"}
SPOILT: dict[str, Spoil] = {
    "a header of 2**62 bytes": lambda folder: own(folder, safetensors(b"{}", length=2**62)),
    "a header of 99 MB": lambda folder: own(folder, safetensors(b"{}", length=99_000_000)),
    "offsets beyond the file": lambda folder: own(folder, tensors([2], [0, 10**15])),
    "negative offsets": lambda folder: own(folder, tensors([2], [-8, 8])),
    "a shape of 2**80": lambda folder: own(folder, tensors([2**40, 2**40], [0, 8])),
    "a nested header": lambda folder: own(folder, safetensors(b'{"a":' + b"[" * 100_000)),
    "no weights in the file": lambda folder: own(folder, b""),
    "a pickle as weights": lambda folder: own(folder, pickle.dumps(Evil(proof(folder)))),
    "weights without an end": lambda folder: (
        own(folder, b""),
        (folder / "model.safetensors").unlink(),
        (folder / "model.safetensors").symlink_to("/dev/zero"),
    ),
    "a settings file without an end": lambda folder: (folder / "config.json").symlink_to("/dev/zero"),
    "a settings file of a gigabyte": lambda folder: sparse(folder / "config.json", 1 << 30),
    "a nested settings file": lambda folder: (folder / "config.json").write_bytes(tree(100_000)),
    "an architecture that is a list": lambda folder: own(folder, b"", architecture={"name": ["x"]}),
    "sides without measure": lambda folder: own(
        folder, b"", architecture={**architecture_of(TINY), "shorter": 10**9, "longer": 10**9}
    ),
    "a huge architecture": lambda folder: own(
        folder, b"", architecture={"name": "transformers", "config": {**YOLOS, **HUGE}, "preprocessor": {}}
    ),
    "an architecture with code": lambda folder: (
        others(folder),
        own(
            folder, b"", architecture={"name": "transformers", "config": {"model_type": "evil", "auto_map": CODE}}
        ),
    ),
    "a model with code": lambda folder: others(folder, model_type="evil", auto_map=CODE),
    "a known model with code": lambda folder: others(folder, auto_map=CODE),
    "a huge model": lambda folder: others(folder, **HUGE),
    "a model of a billion layers": lambda folder: others(folder, num_hidden_layers=10**9),
    "a pickle": lambda folder: (
        others(folder),
        (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(proof(folder)))),
    ),
    "a pickle in a file of torch": lambda folder: (
        others(folder),
        torch_file(folder / "pytorch_model.bin", pickle.dumps(Evil(proof(folder)), protocol=2)),
    ),
    "a bomb": lambda folder: (
        others(folder),
        torch_file(folder / "pytorch_model.bin", b"\0" * (1 << 28), compressed=True),
    ),
    "sizes in a file of a gigabyte": lambda folder: (
        others(folder),
        (folder / "model.safetensors").write_bytes(tensors([2], [0, 8])),
        sparse(folder / "preprocessor_config.json", 1 << 30),
    ),
}
#: Open each folder named; print what is said of it, and the memory that it took.
OPEN = """
import json, resource, sys
from panelwise.domain.errors import AnnotatorError
from prelabel.runs.opening import open_detector
import prelabel.detectors.batched, prelabel.detectors.batched, prelabel.detectors.transformers_network

def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

before = memory()
for folder in sys.argv[1:]:
    try:
        open_detector(folder, device="cpu")
        said = None
    except AnnotatorError as error:
        said = str(error)
    print(json.dumps([said, memory() - before]), flush=True)
"""


@pytest.mark.slow
def test_hostile_checkpoints_are_one_line_each_and_run_no_code_and_take_no_memory(tmp_path: Path) -> None:
    folders = []
    for number, spoil in enumerate(SPOILT.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        spoil(folder)
        folders.append(str(folder))
    ended = subprocess.run(
        [sys.executable, "-c", OPEN, *folders],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        # Nobody is there to say that the code may run.
        input="y\n" * 100,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("[")]
    said = dict(zip(SPOILT, lines, strict=False))
    assert len(lines) == len(SPOILT), ended.stderr[-1000:]
    for what, (message, memory) in said.items():
        assert message is not None, what
        assert "\n" not in message, what
        assert memory < MOST_MEMORY, (what, memory, message)
    assert not (tmp_path / "ran").exists()
    assert "asks for" in said["a huge model"][0]
    assert "more than 1,000 layers" in said["a model of a billion layers"][0]
    assert "is compressed" in said["a bomb"][0]


def test_the_encoder_of_a_tagger_is_bounded_too(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(BERT))
    with pytest.raises(AnnotatorError, match="cannot be opened"):
        open_encoder(str(tmp_path))


def test_weights_to_begin_from_are_no_bomb(tmp_path: Path) -> None:
    torch_file(tmp_path / "start.pt", b"\0" * (1 << 24), compressed=True)
    with pytest.raises(FormatError, match="is compressed, as torch writes no weights"):
        read_weights(tmp_path / "start.pt")


def test_a_settings_file_is_read_up_to_its_limit_only(tmp_path: Path) -> None:
    sparse(tmp_path / "config.json", MOST_SETTINGS + 1)
    with pytest.raises(FormatError, match="has more than 67,108,864 bytes"):
        read_about(tmp_path)
