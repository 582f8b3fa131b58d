from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from panelwise.domain.errors import AnnotatorError
from prelabel.models.devices import amp_of, choose_device, halving, out_of_memory


def test_auto_is_the_cpu_where_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == choose_device("cpu") == torch.device("cpu")


def test_auto_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto") == torch.device("cuda")
    assert choose_device("cuda") == torch.device("cuda")


@pytest.mark.parametrize("wish", ["cuda", "cuda:1"])
def test_cuda_asked_for_and_absent_is_told(monkeypatch: pytest.MonkeyPatch, wish: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(AnnotatorError, match=f"^device {wish}: .*give --device cpu, or auto$"):
        choose_device(wish)


def test_a_torch_without_cuda_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", None)
    with pytest.raises(AnnotatorError, match="built without CUDA"):
        choose_device("cuda")


@pytest.mark.parametrize(("count", "there"), [(1, "cuda:0 is the only one"), (2, "there are cuda:0 to cuda:1")])
def test_a_gpu_too_many_is_told_with_those_there(monkeypatch: pytest.MonkeyPatch, count: int, there: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    assert choose_device("cuda:0") == torch.device("cuda:0")
    with pytest.raises(AnnotatorError, match=f"^device cuda:2: no such GPU, {there}$"):
        choose_device("cuda:2")


@pytest.mark.parametrize("wish", ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "mps\n"])
def test_a_name_that_is_no_device_is_told(wish: str) -> None:
    with pytest.raises(AnnotatorError, match=r"no device .*; give auto, cpu, cuda or cuda:1"):
        choose_device(wish)


def test_mixed_precision_changes_nothing_on_a_cpu() -> None:
    with amp_of(torch.device("cpu")):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


@pytest.mark.parametrize(("modern", "kind"), [(True, torch.bfloat16), (False, torch.float16)])
def test_mixed_precision_takes_what_the_gpu_has(
    monkeypatch: pytest.MonkeyPatch, modern: bool, kind: torch.dtype
) -> None:
    asked = []
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: modern)
    monkeypatch.setattr(torch, "autocast", lambda device, dtype: asked.append((device, dtype)))
    amp_of(torch.device("cuda"))
    amp_of(torch.device("cuda"), enabled=False)
    assert asked == [("cuda", kind)]


class Memory:
    """Room for so many at a time."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.tried: list[int] = []

    def run(self, batch: Sequence[int]) -> list[int]:
        self.tried.append(len(batch))
        if len(batch) > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return [10 * each for each in batch]


def test_a_batch_that_fits_is_run_once() -> None:
    memory, told = Memory(8), []
    assert halving([1, 2, 3], memory.run, warn=told.append) == [10, 20, 30]
    assert (memory.tried, told) == ([3], [])


def test_a_batch_that_does_not_fit_is_halved_and_told_and_nothing_is_lost() -> None:
    memory, told = Memory(2), []
    assert halving([1, 2, 3, 4, 5], memory.run, warn=told.append) == [10, 20, 30, 40, 50]
    assert memory.tried == [5, 3, 2, 1, 2]
    assert told[0] == "out of memory with a batch of 5; going on with 3 (give a smaller --batch)"
    assert len(told) == 2


def test_memory_for_not_even_one_is_an_error_of_one_line() -> None:
    with pytest.raises(AnnotatorError, match=r"^out of memory with a batch of one .*use another"):
        halving([1, 2], Memory(0).run)


def test_an_empty_batch_is_not_run() -> None:
    memory = Memory(1)
    assert halving([], memory.run) == []
    assert memory.tried == []


def test_any_other_fault_passes_through() -> None:
    def faulty(_batch: Sequence[int]) -> list[int]:
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        halving([1, 2], faulty)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"), True),
        (RuntimeError("CUDA error: out of memory"), True),
        (RuntimeError("CUDA error: device-side assert triggered"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_what_counts_as_out_of_memory(error: Exception, told: bool) -> None:
    assert out_of_memory(error) is told
