"""Recognise the layout of a file, to refuse a wrong one in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from panelwise.domain.errors import FormatError
from panelwise.files.file_names import IMAGE_ENDINGS
from panelwise.files.json_arrays import read_array, read_arrays, starts_with
from panelwise.files.jsonl import BOM, Line, Problems, decode_json, open_input, read_lines
from panelwise.files.parquet import is_parquet
from panelwise.files.tables import is_table
from panelwise.formats.annotations import PREDICTION_PHASE
from panelwise.formats.label_studio_export import looks_like_export
from panelwise.formats.medicat import looks_like_medicat

_IMAGE_KEYS = {"image", "image_file", "fig_uri"}
#: Records examined: a single invalid one must not decide.
_LOOKED_AT = 8
#: A longer first line, or a larger object over several lines, is not looked into as a whole.
_MOST_BYTES = 1 << 22


class Form(StrEnum):
    """The form in which a file stores its records."""

    LINES = "one object a line"
    ARRAY = "one JSON array"
    OBJECT = "one JSON object"


class Layout(StrEnum):
    """The kind of records; the values of the first four are those of `annotator import annotations --from`."""

    JSONL = "jsonl"
    MEDICAT = "medicat"
    LABEL_STUDIO = "label-studio"
    COCO = "coco"
    PREDICTIONS = "predictions"
    FIGURES = "figures"


_NAMES = {
    Layout.JSONL: "annotations.jsonl",
    Layout.MEDICAT: "MedICaT's annotations",
    Layout.LABEL_STUDIO: "Label Studio's export",
    Layout.COCO: "a COCO file",
    Layout.PREDICTIONS: "predictions",
    Layout.FIGURES: "a file of figures",
}
_FORMS = {Layout.LABEL_STUDIO: Form.ARRAY, Layout.COCO: Form.OBJECT}
_COMMANDS = {
    Layout.PREDICTIONS: "`annotator import predictions`",
    Layout.FIGURES: "`annotator import figures`",
}
#: By which command each comes in, for a file that was given to another command than `import annotations`.
_WHOLE_COMMANDS = {
    **_COMMANDS,
    Layout.JSONL: "`annotator import annotations`",
    Layout.MEDICAT: "`annotator import annotations --from medicat`",
    Layout.LABEL_STUDIO: "`annotator import annotations --from label-studio`",
    Layout.COCO: "`annotator import annotations --from coco --annotator NAME`",
}
_MADE_BY_RUN = "predictions of `prelabel run --out`"
#: How to convert a file from one form into another.
_MENDS = {
    (Form.ARRAY, Form.LINES): "put one object a line (jq -c '.[]' FILE)",
    (Form.OBJECT, Form.LINES): "put one object a line (jq -c . FILE)",
    (Form.LINES, Form.ARRAY): "put all into one JSON array (jq -s . FILE)",
    (Form.OBJECT, Form.ARRAY): "put it into a JSON array (jq -s . FILE)",
}


@dataclass(frozen=True, slots=True)
class Looks:
    """The form of a file, and the layouts of its clearly recognised records.

    unclear: whether others do not. pictured: whether one names an image, as a figure does. subfigures: whether
    one has subfigures.
    """

    form: Form
    layouts: frozenset[Layout] = frozenset()
    unclear: bool = False
    pictured: bool = False
    subfigures: bool = False


def check_layout(path: Path, expected: Layout) -> None:
    """Raise FormatError, with what to do, for a file that is clearly of another layout or form.

    Unclear files pass: their reader reports problems, and imports valid records.
    """
    looks = looks_of(path)
    proper = _FORMS.get(expected, Form.LINES)
    commands = _WHOLE_COMMANDS if expected is Layout.PREDICTIONS else _COMMANDS
    if expected in looks.layouts:
        found = expected
    elif len(looks.layouts) == 1 and not (looks.unclear and looks.form is proper):
        (found,) = looks.layouts
    elif looks.form is proper or proper is not Form.LINES:
        return
    else:
        raise FormatError(
            f"{path}: holds {looks.form}, and looks like nothing known; {_MENDS[looks.form, proper]} as in "
            + (
                _MADE_BY_RUN
                if expected is Layout.PREDICTIONS
                else f"{_NAMES[expected]}, or name its layout with --from"
            )
        )
    mend = _MENDS.get((looks.form, _FORMS.get(found, Form.LINES)), "")
    if found is expected and not mend:
        return
    if found is Layout.FIGURES and looks.form is Form.ARRAY:
        mend = ""
    steps = [mend, "" if found is expected else f"import it with {commands.get(found, f'--from {found}')}"]
    shown = f", as {looks.form}" if mend else ""
    raise FormatError(
        f"{path}: looks like {_NAMES[found]}{shown}; {', then '.join(each for each in steps if each)}"
    )


def check_figures(path: Path, *, images: bool = True) -> None:
    """Raise FormatError, with what to do, for a file clearly without figures, or with one over many lines.

    A folder or table passes, as do MedICaT's annotations and COCO files, which contain figures; without images, so
    does anything that names figures.
    """
    if path.is_dir() or is_table(path):
        return
    if path.suffix.lower() in IMAGE_ENDINGS:
        raise FormatError(
            f"{path}: is a single image; name its folder, {path.parent}, with captions in text files beside images"
        )
    looks = looks_of(path)
    work = looks.layouts & {Layout.JSONL, Layout.PREDICTIONS}
    if looks.form is Form.OBJECT:
        if Layout.COCO not in looks.layouts:
            raise FormatError(
                f"{path}: holds one JSON object over several lines; {_MENDS[Form.OBJECT, Form.LINES]}, if it is "
                "a figure"
            )
    elif looks.unclear or len(looks.layouts) != 1 or (work and (looks.pictured or not images)):
        return
    (found,) = looks.layouts
    if found not in (Layout.FIGURES, Layout.MEDICAT, Layout.COCO):
        raise FormatError(f"{path}: looks like {_NAMES[found]}; import it with {_WHOLE_COMMANDS[found]}")


def looks_of(path: Path) -> Looks:
    """Examine the first records. Raises FormatError if the file cannot be read at all."""
    if is_parquet(path):
        return _looks(Form.LINES, read_lines(path, Problems()))
    first = starts_with(path)
    if first == b"[":
        return _looks(Form.ARRAY, _readable(read_array(path, Problems())))
    if first != b"{":
        return Looks(Form.LINES)
    start, second = _first_lines(path)
    record = _object(start)
    if record is not None and not _is_coco(record):
        return _looks(Form.LINES, read_lines(path, Problems()))
    if record is not None or _has_coco_lists(path):
        return Looks(Form.OBJECT, frozenset({Layout.COCO}))
    # Of one object over several lines the second goes on with a key, of one a line it is an object of its own.
    if second.startswith((b'"', b"}")):
        whole = _object(_bytes(path))
        return _looks(Form.OBJECT, () if whole is None else (Line(str(path), whole),))
    return _looks(Form.LINES, read_lines(path, Problems()))


def _looks(form: Form, lines: Iterable[Line]) -> Looks:
    first = list(islice(lines, _LOOKED_AT))
    found = {_layout(line) for line in first}
    pictured = any(line.record.keys() & _IMAGE_KEYS for line in first)
    subfigures = any("subfigures" in line.record for line in first)
    return Looks(form, frozenset(each for each in found if each is not None), None in found, pictured, subfigures)


def _layout(line: Line) -> Layout | None:
    record = line.record
    if looks_like_export(line):
        return Layout.LABEL_STUDIO
    if looks_like_medicat(line):
        return Layout.MEDICAT
    if isinstance(record.get("subfigures"), list) and "annotator" in record:
        predicted = record.get("phase") == PREDICTION_PHASE or (record.get("saved_at") is None and _scored(record))
        return Layout.PREDICTIONS if predicted else Layout.JSONL
    described = record.keys() & _IMAGE_KEYS and record.keys() & {"caption", "s2_caption"}
    return Layout.FIGURES if described and not record.keys() & {"subfigures", "spans", "annotator"} else None


def _scored(record: Mapping[str, Any]) -> bool:
    """Return whether there are subfigures, each with a score: people's have none."""
    parts = record["subfigures"]
    return bool(parts) and all(isinstance(part, dict) and part.get("score") is not None for part in parts)


def _is_coco(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("images"), list) and isinstance(record.get("annotations"), list)


def _has_coco_lists(path: Path) -> bool:
    """Return True if the file is an object with COCO's images or boxes, over any number of lines."""
    element = next(_readable(read_arrays(path, Problems(), ("images", "annotations"))), None)
    if element is None:
        return False
    return element.array == "images" or not {"image_id", "bbox"}.isdisjoint(element.line.record)


def _readable(found: Iterator[Any]) -> Iterator[Any]:
    """Yield the readable records: the file's own reader reports the others."""
    with suppress(FormatError):
        yield from found


def _first_lines(path: Path) -> tuple[bytes, bytes]:
    """Return the first two non-blank lines; the second only if the first is not too long."""
    with open_input(path) as file:
        lines = _not_blank(iter(lambda: file.readline(_MOST_BYTES), b""))
        first = next(lines, b"")
        second = next(lines, b"") if len(first) < _MOST_BYTES else b""
    return first.removeprefix(BOM).strip(), second.strip()


def _not_blank(lines: Iterator[bytes]) -> Iterator[bytes]:
    return (line for line in lines if line.removeprefix(BOM).strip())


def _bytes(path: Path) -> bytes:
    with open_input(path) as file:
        return file.read(_MOST_BYTES).removeprefix(BOM)


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found, _ = decode_json(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
