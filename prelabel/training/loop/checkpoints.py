"""The state of a training after its last whole epoch, as a file from which it can resume."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import torch

from panelwise.domain import FormatError
from panelwise.files import write_lines
from panelwise.runtime import whole_file
from prelabel.models.hub import refuse_compressed

_NONE: Mapping[str, Any] = MappingProxyType({})
#: Layout of the file.
_FORMAT = 1


@dataclass(slots=True)
class State:
    """The state of the loop between two epochs, without tensors.

    fixed: settings, kind and data, which must not change half-way. history: a record an epoch, as in the log.
    best: the epoch of the best score, from 1; 0 before the first. steps: batches done. seconds: of all epochs.
    why: what ended the training, "" as long as it goes on. whole: whether the file has the tensors to go on with.
    """

    fixed: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    best: int = 0
    score: float = float("-inf")
    steps: int = 0
    seconds: float = 0.0
    why: str = ""
    weights_hash: str = ""
    whole: bool = True

    def add(self, entry: Mapping[str, Any], score: float) -> None:
        """Record an epoch. The first is the best so far, with any score."""
        score = score if isfinite(score) else float("-inf")
        best = not self.history or score > self.score
        self.history.append({**entry, "best": best})
        if best:
            self.best, self.score = len(self.history), score


def write_state(
    path: Path, state: State, module: Any, optimiser: Any, scaler: Any, average: Mapping[str, Any] = _NONE
) -> None:
    """Write all that is needed to go on; whole or not at all. Without a module only what was done.

    average: moving average of the weights by name, empty if the training has none.
    """
    with whole_file(path) as file:
        torch.save(
            {
                "format": _FORMAT,
                # As text: the score of an epoch may be infinite, and the loader takes plain values only.
                "state": repr_of(state),
                **(
                    {}
                    if module is None
                    else {
                        "module": module.state_dict(),
                        "optimiser": optimiser.state_dict(),
                        "scaler": scaler.state_dict(),
                        **({"average": dict(average)} if average else {}),
                    }
                ),
            },
            file,
        )


def repr_of(state: State) -> str:
    """The state as JSON; a score that is no finite number as null."""
    return msgspec.json.encode(asdict(state)).decode()


def read_state(
    path: Path,
    expected: State,
    module: Any,
    optimiser: Any,
    scaler: Any,
    device: torch.device,
    average: dict[str, Any] | None = None,
) -> State:
    """Take up what `write_state` wrote: the tensors go into module, optimiser, scaler and average.

    expected: of a fresh training. Raises FormatError if its settings (but for the learning rate) or data are
    others, or the file is damaged.
    """
    data = path.read_bytes()
    try:
        refuse_compressed(path)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.testzip():  # `torch.load` doesn't compare checksums
                raise zipfile.BadZipFile
        kept = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
        record = msgspec.json.decode(kept["state"])
        if kept["format"] > _FORMAT:
            raise FormatError(f"{path}: is of a later version; update, or start over with --fresh")
        if record["score"] is None:
            record["score"] = float("-inf")
        state = msgspec.convert(record, State)
    except FormatError:
        raise
    except Exception as error:  # What `pickle` raises has no common ancestor but this.
        raise FormatError(f"{path}: is damaged ({type(error).__name__}); start over with --fresh") from None
    _check_same(path, state.fixed, msgspec.to_builtins(expected.fixed))
    if state.whole:
        try:
            module.load_state_dict(kept["module"])
            optimiser.load_state_dict(kept["optimiser"])
            scaler.load_state_dict(kept["scaler"])
            if average:
                average.update({name: kept["average"][name] for name in average})
        except (RuntimeError, ValueError, KeyError, TypeError, AttributeError):
            raise FormatError(
                f"{path}: is of a model of another architecture; name another folder, or start over with --fresh"
            ) from None
    return state


def write_log(path: Path, history: Iterable[Mapping[str, Any]]) -> None:
    """A line an epoch."""
    write_lines(path, history)


def _check_same(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    flat, other = _flat(found), _flat(wanted)
    keys = (flat.keys() | other.keys()) - {"lr"}
    # An option that the version of the file did not know yet was off.
    differing = sorted(key for key in keys if (flat.get(key) or None) != (other.get(key) or None))
    if differing:
        shown = ", ".join(_difference(key, flat.get(key), other.get(key)) for key in differing[:4])
        raise FormatError(
            f"{path}: is of a training with other settings ({shown}); give the same, name another folder, or "
            "start over with --fresh"
        )


def _difference(key: str, there: Any, now: Any) -> str:
    return "other gold" if key == "data" else f"{key} {there} there, {now} now"


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    nested = values.get("other")
    return {**{k: v for k, v in values.items() if k != "other"}, **(nested if isinstance(nested, dict) else {})}
