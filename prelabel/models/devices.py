"""Device and precision of a model, threads that predict on it, and retries when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import torch

from panelwise.domain import AnnotatorError, one_line
from panelwise.runtime import cores

#: What `--device` may say, beside "cuda:1" and the like.
AUTO, CPU, CUDA = "auto", "cpu", "cuda"

Item = TypeVar("Item")
Result = TypeVar("Result")


def choose_device(wish: str = AUTO) -> torch.device:
    """The device of that name: "auto" (CUDA where there is one), "cpu", "cuda" or "cuda:1".

    Raises AnnotatorError, one line, for an unknown name, and if CUDA is requested and absent.
    """
    kind, _, number = wish.partition(":")
    if wish == AUTO:
        return torch.device(CUDA if torch.cuda.is_available() else CPU)
    if wish == CPU:
        return torch.device(CPU)
    if kind != CUDA or (":" in wish and not number.isdecimal()):
        raise AnnotatorError(f'no device "{wish and one_line(wish)}"; give auto, cpu, cuda or cuda:1')
    if not torch.cuda.is_available():
        raise AnnotatorError(f"device {wish}: {_why_no_cuda()}; give --device cpu, or auto")
    if number and int(number) >= torch.cuda.device_count():
        count = torch.cuda.device_count()
        there = "cuda:0 is the only one" if count == 1 else f"there are cuda:0 to cuda:{count - 1}"
        raise AnnotatorError(f"device {wish}: no such GPU, {there}")
    return torch.device(wish)


def _why_no_cuda() -> str:
    if getattr(torch.version, "cuda", None) is None:
        return "this torch is built without CUDA"
    return "torch finds no NVIDIA GPU that it can use (is the driver there, and new enough?)"


def amp_of(device: torch.device, *, enabled: bool = True) -> AbstractContextManager[Any]:
    """Automatic mixed precision on CUDA: bfloat16 where the GPU has it, else float16. On a CPU nothing changes.

    enabled: False for plain float32 everywhere.
    """
    if not enabled or device.type != CUDA:
        return nullcontext()
    kind = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    context: AbstractContextManager[Any] = torch.autocast(CUDA, dtype=kind)
    return context


def halving(
    batch: Sequence[Item],
    run: Callable[[Sequence[Item]], Sequence[Result]],
    *,
    warn: Callable[[str], None] | None = None,
) -> list[Result]:
    """`run(batch)`, one result each; where memory runs out, the same in halves, down to one at a time.

    warn: called with a line each time. Raises AnnotatorError if memory does not suffice for a single one; any
    other error passes through. An empty batch is not run.
    """
    if not batch:
        return []
    try:
        return list(run(batch))
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        problem = one_line(error)
    # Out of the `except`: the error holds the frames, and they the tensors.
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if len(batch) == 1:
        raise AnnotatorError(
            f"out of memory with a batch of one ({problem}); free the device, use another, or a smaller model"
        )
    half = (len(batch) + 1) // 2
    if warn is not None:
        warn(f"out of memory with a batch of {len(batch)}; going on with {half} (give a smaller --batch)")
    return halving(batch[:half], run, warn=warn) + halving(batch[half:], run, warn=warn)


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out, on a GPU or by torch's CPU allocator."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    said = str(error)
    return isinstance(error, RuntimeError) and ("out of memory" in said or "can't allocate memory" in said)


# Threads in which networks predict side by side.
# Small networks cannot fill the cores of a CPU one operator at a time, so that several predict, with few threads
# each. On a GPU a second one has its next batch ready, and takes apart what was found, while the first one waits.

_ON_GPU = 2
#: Each holds a chunk of images; more cores work for them in common.
_MOST_ON_CPU = 8


def predictors_of(device: torch.device) -> int:
    """Return the number of threads that predict on a device."""
    return _ON_GPU if device.type != "cpu" else min(cores(), _MOST_ON_CPU)


@contextmanager
def predicting(device: torch.device) -> Iterator[tuple[ThreadPoolExecutor, int]]:
    """Threads that share the cores between them, and how many they are.

    A caller that leaves early does not wait for unused results.
    """
    count = predictors_of(device)
    if device.type != "cpu":
        pool = ThreadPoolExecutor(count, "predict")
    else:
        # torch counts its threads per thread that calls it; it must be said in each.
        share = max(1, cores() // count)
        pool = ThreadPoolExecutor(count, "predict", initializer=torch.set_num_threads, initargs=(share,))
    before = torch.get_num_threads()
    try:
        yield pool, count
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # What is set in one thread is what later threads begin with.
        torch.set_num_threads(before)
