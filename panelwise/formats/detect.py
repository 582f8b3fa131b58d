"""Recognise the layout of a file by the rows of the registry, to refuse a wrong one in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from panelwise.domain.errors import FormatError
from panelwise.files.file_names import IMAGE_ENDINGS
from panelwise.files.json_arrays import decoded_object, first_lines, read_array, starts_with, whole_object
from panelwise.files.jsonl import BOM, Line, Problems, open_input, read_lines
from panelwise.files.other_layouts import PAIRS, check_columns, check_record, check_root
from panelwise.files.parquet import is_parquet
from panelwise.files.tables import is_table, read_table
from panelwise.formats.layout import Contents, Form, Layout
from panelwise.formats.registry import FIGURES, IMAGE_KEYS, JSONL, LAYOUTS, PREDICTIONS, layouts_of

#: Records examined: a single invalid one must not decide.
_LOOKED_AT = 8
#: Bytes of a text that is no JSON that are examined.
_BEGINNING = 1 << 14
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
    one has subfigures. first: the first record.
    """

    form: Form
    layouts: frozenset[Layout] = frozenset()
    unclear: bool = False
    pictured: bool = False
    subfigures: bool = False
    first: Mapping[str, Any] = field(default_factory=dict)


def recognised(path: Path, contents: Contents) -> Layout | None:
    """Return the layout that a file looks like, of those that hold this; None without one."""
    layouts = looks_of(path).layouts
    return next((layout for layout in layouts_of(contents) if layout in layouts), None)


def check_layout(path: Path, expected: Layout) -> None:
    """Raise FormatError, with what to do, for a file that is clearly of another layout or form.

    Unclear files pass: their reader reports problems, and imports valid records.
    """
    proper = expected.form
    in_folders = proper in (Form.XML, Form.TEXT)
    if in_folders and path.is_dir() and not (expected.recognise and expected.recognise(path, b"")):
        raise FormatError(f"{path}: holds no file of {expected.title}; name the folder that these are in")
    looks = looks_of(path)
    if not looks.layouts and PAIRS.keys <= looks.first.keys():
        raise PAIRS.refuse(path)
    if expected in looks.layouts:
        found = expected
    elif len(looks.layouts) == 1 and not (looks.unclear and looks.form is proper):
        (found,) = looks.layouts
    elif looks.form is proper or proper is not Form.LINES:
        return
    else:
        raise FormatError(
            f"{path}: holds {looks.form}, and looks like nothing known; {_MENDS[looks.form, proper]} as in "
            + (_MADE_BY_RUN if expected is PREDICTIONS else f"{expected.title}, or name its layout with --from")
        )
    mend = _MENDS.get((looks.form, found.form), "")
    if found is expected and not mend:
        return
    if found is FIGURES and looks.form is Form.ARRAY:
        mend = ""
    steps = [mend, "" if found is expected else f"import it with {_how(found, expected)}"]
    shown = f", as {looks.form}" if mend else ""
    raise FormatError(f"{path}: looks like {found.title}{shown}; {', then '.join(step for step in steps if step)}")


def _how(layout: Layout, expected: Layout) -> str:
    """Return how a file comes in: by the option, if the command that expected another layout has it."""
    same = Contents.ANNOTATIONS in layout.contents & expected.contents
    return f"--from {layout.name}" if same else f"`{layout.command}`"


def check_figures(path: Path, *, images: bool = True) -> None:
    """Raise FormatError, with what to do, for a file clearly without figures, or with one over many lines.

    A folder or table passes, as do layouts of work that contain figures; without images, so does anything that
    names figures.
    """
    if path.is_dir() or is_table(path):
        return
    if path.suffix.lower() in IMAGE_ENDINGS:
        raise FormatError(
            f"{path}: is a single image; name its folder, {path.parent}, with captions in text files beside images"
        )
    looks = looks_of(path)
    work = looks.layouts & {JSONL, PREDICTIONS}
    if looks.form is Form.OBJECT:
        if not any(layout.form is Form.OBJECT for layout in looks.layouts):
            raise FormatError(
                f"{path}: holds one JSON object over several lines; {_MENDS[Form.OBJECT, Form.LINES]}, if it is "
                "a figure"
            )
    elif looks.unclear or len(looks.layouts) != 1 or (work and (looks.pictured or not images)):
        return
    (found,) = looks.layouts
    if Contents.FIGURES not in found.contents:
        raise FormatError(f"{path}: looks like {found.title}; import it with `{found.command}`")


def looks_of(path: Path) -> Looks:
    """Examine a file, or its first records.

    Raises FormatError if it cannot be read at all, and for a layout of another tool that is not read.
    """
    if is_parquet(path):
        return _looks(Form.LINES, read_lines(path, Problems()))
    first = b"" if path.is_dir() else starts_with(path)
    for layout in LAYOUTS:
        if layout.recognise is not None and layout.recognise(path, first):
            return Looks(layout.form, frozenset({layout}))
    if path.is_dir():
        raise FormatError(f"{path}: is a directory; name a file in it")
    if is_table(path):
        check_columns(path, read_table(path, Problems()).columns)
        raise FormatError(
            f"{path}: is a table, which can hold figures (`annotator import figures`) and answers (`agreement`); "
            "give other work in JSON"
        )
    if first == b"[":
        return _known(path, _looks(Form.ARRAY, _readable(read_array(path, Problems()))))
    if first != b"{":
        if first == b"<":
            check_root(path, _beginning(path))
        return Looks(Form.LINES)
    start, second = first_lines(path)
    # Of one object over several lines the second goes on with a key, of one a line it is an object of its own.
    if decoded_object(start) is None and second.startswith((b'"', b"}")):
        record = whole_object(path)
        return _known(path, _looks(Form.OBJECT, () if record is None else (Line(str(path), record),)))
    return _known(path, _looks(Form.LINES, read_lines(path, Problems())))


def _known(path: Path, looks: Looks) -> Looks:
    """Return the looks of a file. Raises FormatError for a layout that is not read."""
    if not looks.layouts:
        check_record(path, looks.first)
    return looks


def _beginning(path: Path) -> str:
    """Return the first whole lines of a text."""
    with open_input(path) as file:
        begin = file.read(_BEGINNING)
    whole = begin[: begin.rfind(b"\n") + 1] if len(begin) == _BEGINNING else begin
    return whole.removeprefix(BOM).decode(errors="replace")


def _looks(form: Form, lines: Iterable[Line]) -> Looks:
    records = list(islice(lines, _LOOKED_AT))
    layouts = [
        {layout for layout in LAYOUTS if layout.looks_like is not None and layout.looks_like(line)}
        for line in records
    ]
    pictured = any(line.record.keys() & IMAGE_KEYS for line in records)
    subfigures = any("subfigures" in line.record for line in records)
    first = records[0].record if records else {}
    return Looks(form, frozenset[Layout]().union(*layouts), not all(layouts), pictured, subfigures, first)


def _readable(found: Iterator[Any]) -> Iterator[Any]:
    """Yield the readable records: the file's own reader reports the others."""
    with suppress(FormatError):
        yield from found
