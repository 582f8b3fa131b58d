"""A trained model as a folder: what it is, its weights, and what its kind needs beside them.

`config.json` (see About), `model.safetensors`, and for taggers `encoder/` (the encoder's configuration and its
tokenizer's files). A folder that a training writes to holds its best checkpoint in `best/`, and may be named in
its place. Saving replaces a checkpoint as a whole: readers see the old one or the new one.
"""

from __future__ import annotations

import glob
import hashlib
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from panelwise.domain import AnnotatorError, FormatError, one_line
from panelwise.files import Fields
from panelwise.runtime import put_folder, write_whole

#: Layout of checkpoints, up by one with every change that older code cannot read.
FORMAT = 1
KINDS = ("detector", "text-crf", "box-crf", "classifier", "matcher")
CONFIG, WEIGHTS, ENCODER, BEST = "config.json", "model.safetensors", "encoder", "best"
#: Bytes of a model's JSON file at most: a config.json names every figure of its splits.
MOST_SETTINGS = 1 << 26
#: Characters of a hash in a model's version.
_SHORT = 8


@dataclass(frozen=True, slots=True)
class About:
    """The metadata of a checkpoint.

    kind: one of KINDS. name: what its predictions are signed with. architecture: all that is needed to build the
    module again, before its weights are loaded. settings: those of the training. scores: on the validation split.
    data_hash: SHA-256 of what it was trained on. splits: ids of figures by split; "train" has all that it, or the
    checkpoint it began from, has learnt. split_source: what says the splits. weights_hash: that of
    `model.safetensors`, set by saving.
    code_version: the package's. made_at: ISO 8601, UTC. random_weights: whether it, or the first checkpoint of the
    chain that it began from, began from random weights; of a model with a text encoder, the encoder's. parameters:
    their number.
    seconds: of its training, validation included. device, processes: what it was trained on ("cpu", or the GPU's
    name). None and "" where a checkpoint of an earlier version doesn't say.
    """

    kind: str
    name: str
    architecture: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    data_hash: str = ""
    splits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    split_source: str = ""
    weights_hash: str = ""
    code_version: str = ""
    made_at: str = ""
    random_weights: bool | None = None
    parameters: int | None = None
    seconds: float | None = None
    device: str = ""
    processes: int = 1
    format: int = FORMAT

    @property
    def gpu_hours(self) -> float | None:
        """Return the hours of GPUs that its training took, 0 on CPUs; None if it is not known."""
        if self.seconds is None or not self.device:
            return None
        return 0.0 if self.device == "cpu" else self.seconds * self.processes / 3600

    @property
    def version(self) -> str:
        """Return the predictions' `model_version`: "detector-1f3a9c02", another for other weights."""
        short = (self.weights_hash or self.data_hash)[:_SHORT]
        return f"{self.name}-{short}" if short else self.name


def code_version() -> str:
    """The version of this package; "unknown" where it runs without being installed."""
    try:
        return metadata.version("panelwise")
    except metadata.PackageNotFoundError:
        return "unknown"


def save_checkpoint(
    folder: Path, module: Any, about: About, *, write_extra: Callable[[Path], None] | None = None
) -> About:
    """Write a checkpoint, in place of the one that is there, if any; returns what its config.json says.

    module: a torch module, on whatever device. write_extra: writes into the folder what the kind needs besides.
    The checkpoint is written aside and then put in its place, so a kill leaves the old one or the new one;
    what else it left is removed by the next save.
    """
    from safetensors.torch import save_model

    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f".{glob.escape(folder.name)}.{'[0-9a-f]' * 12}"):  # by a save that was killed
        shutil.rmtree(left, ignore_errors=True)
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}")
    aside.mkdir()
    try:
        save_model(module, str(aside / WEIGHTS))
        said = replace(
            about,
            weights_hash=_hash(aside / WEIGHTS),
            code_version=code_version(),
            made_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        )
        if write_extra is not None:
            write_extra(aside)
        write_about(aside, said)
        # The library writes for the owner only; a checkpoint is as readable as other files.
        shutil.copymode(aside / CONFIG, aside / WEIGHTS)
        _put(aside, folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return said


def write_about(place: Path, about: About) -> None:
    """Write a checkpoint's `config.json`, whole or not at all."""
    write_whole(place / CONFIG, msgspec.json.format(msgspec.json.encode(asdict(about)), indent=2) + b"\n")


def find_checkpoint(folder: Path) -> Path:
    """The checkpoint's own folder: that given, or `best/` in a training's. FormatError if there is none."""
    for place in (folder, folder / BEST):
        before = _before(place)
        if not place.exists() and before.is_dir():
            # A kill came between taking the old one away and putting the new one there.
            with suppress(OSError):
                before.rename(place)
        if (place / CONFIG).is_file():
            return place
    if not folder.exists():
        raise FormatError(f"{folder}: no such folder; name a checkpoint, as `prelabel train` writes it")
    raise FormatError(
        f"{folder}: is no checkpoint ({CONFIG} is missing); name a folder that `prelabel train` wrote"
    )


def is_checkpoint(name_or_folder: str | Path) -> bool:
    """Return whether it is a folder of Panelwise's, not a name or one of transformers (with a `model_type`)."""
    folder = Path(name_or_folder)
    if not folder.is_dir():
        return False
    config = next((file for place in (folder, folder / BEST) if (file := place / CONFIG).is_file()), None)
    if config is None:
        return True
    record = read_settings(config)
    return not (isinstance(record, dict) and "model_type" in record and "kind" not in record)


def read_settings(file: Path) -> Any:
    """Read a model's JSON file. Raises FormatError, one line, for other content and beyond MOST_SETTINGS bytes."""
    try:
        if file.stat().st_size > MOST_SETTINGS:
            raise FormatError(f"{file}: has more than {MOST_SETTINGS:,} bytes; get a checkpoint from its author")
        return msgspec.json.decode(file.read_bytes())
    except RecursionError:
        raise FormatError(f"{file}: is nested too deeply; get a checkpoint from its author") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{file}: not valid JSON ({error}); get a whole copy") from None


def read_about(folder: Path, *, kind: str | None = None, warn: Callable[[str], None] | None = None) -> About:
    """Read the metadata of a checkpoint. Raises FormatError, one line, if this version cannot open it.

    kind: the one that is wanted. warn: called if another version of the package wrote it, which is no hindrance
    as long as the layout (FORMAT) is known.
    """
    place = find_checkpoint(folder)
    record = read_settings(place / CONFIG)
    if not isinstance(record, dict):
        raise FormatError(f"{place / CONFIG}: holds no object; get a whole copy")
    about = _about(Fields(str(place / CONFIG), record))
    if kind is not None and about.kind != kind:
        raise FormatError(f'{place}: holds a "{about.kind}", and a "{kind}" is wanted; name one of that kind')
    if not (place / WEIGHTS).is_file():
        raise FormatError(f"{place}: has no weights ({WEIGHTS} is missing); get a whole copy, or train it again")
    if warn is not None and about.code_version != code_version():
        warn(f"{place}: was trained by version {about.code_version}, this is {code_version()}")
    return about


def load_weights(folder: Path, module: Any) -> None:
    """Put a checkpoint's weights into a module built from its architecture, in place.

    Raises FormatError if they are damaged, of another architecture or not those that its metadata has the hash of.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    place = find_checkpoint(folder)
    file = place / WEIGHTS
    if not file.is_file():
        raise FormatError(f"{place}: has no weights ({WEIGHTS} is missing); get a whole copy, or train it again")
    try:
        load_model(module, str(file))
    except SafetensorError as error:
        raise FormatError(f"{file}: is damaged ({one_line(error)}); get a whole copy") from None
    except RuntimeError as error:
        raise FormatError(
            f"{file}: its weights are of another architecture than {CONFIG} says ({_brief(error)}); "
            "keep the two files of one training together"
        ) from None
    check_weights(place, read_about(place))


def check_weights(folder: Path, about: About) -> Path:
    """Return a checkpoint's file of weights. Raises FormatError if they are not those of its metadata."""
    file = find_checkpoint(folder) / WEIGHTS
    if about.weights_hash and about.weights_hash != _hash(file):
        raise FormatError(
            f"{file}: differs from the weights that {CONFIG} was written with (weights_hash); get a whole copy"
        )
    return file


def fetch_weights(weights: Any) -> dict[str, Any]:
    """Return the state that torchvision has for a network. Raises AnnotatorError if it cannot be fetched."""
    try:
        state: dict[str, Any] = weights.get_state_dict(progress=False)
    except OSError as error:
        raise AnnotatorError(
            f"weights of ImageNet cannot be fetched ({one_line(error)}); give a file of them with --start, or "
            "begin with --random-weights"
        ) from None
    return state


def _about(fields: Fields) -> About:
    layout = fields.optional_number("format")
    if layout is None:
        raise fields.error("format", "is missing; is it a checkpoint of `prelabel train`?")
    if layout > FORMAT:
        written = fields.optional_text("code_version") or "a later version"
        raise fields.error(
            "format", f"is {layout:g}, and this version reads up to {FORMAT}; it was written by {written}: update"
        )
    kind = fields.text("kind")
    if kind not in KINDS:
        raise fields.error("kind", f'is "{kind}"; it can be {", ".join(KINDS)}')
    scores = fields.mapping("scores")
    return About(
        kind=kind,
        name=fields.text("name"),
        architecture=fields.mapping("architecture"),
        settings=fields.mapping("settings"),
        scores={key: float(value) for key, value in scores.items() if isinstance(value, int | float)},
        data_hash=fields.optional_text("data_hash"),
        splits={
            name: [each for each in ids if isinstance(each, str)]
            for name, ids in fields.mapping("splits").items()
            if isinstance(ids, list)
        },
        split_source=fields.optional_text("split_source"),
        weights_hash=fields.optional_text("weights_hash"),
        code_version=fields.optional_text("code_version"),
        made_at=fields.optional_text("made_at"),
        random_weights=fields.optional_flag("random_weights"),
        parameters=fields.whole("parameters"),
        seconds=fields.optional_number("seconds"),
        device=fields.optional_text("device"),
        processes=fields.whole("processes") or 1,
        format=int(layout),
    )


def _brief(error: Exception) -> str:
    """The first thing that the loader complains of."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return one_line((lines[1] if len(lines) > 1 else lines[0])[:200])


def _hash(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _before(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.before")


def _put(aside: Path, folder: Path) -> None:
    """Put `aside` where `folder` is. A folder in use cannot be replaced in one step: the old one steps aside."""
    before = _before(folder)
    if folder.exists():
        if not (folder / CONFIG).is_file() and any(folder.iterdir()):
            raise FormatError(f"{folder}: holds something else than a checkpoint; name another folder")
        shutil.rmtree(before, ignore_errors=True)
        folder.rename(before)
    put_folder(aside, folder)
    shutil.rmtree(before, ignore_errors=True)
