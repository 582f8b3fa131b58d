"""The reference of what the agreement commands write, held against what they write."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from builders import an_annotation
from click.testing import CliRunner
from conftest import REPOSITORY
from rich_work import drawn, rich_figure, rich_gold, rich_predictions, rich_work

from annotator.campaign.home import Home
from annotator.cli.agreement.main import group
from panelwise.domain.annotation import Annotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.scivqa import pair_record

FOLDER = REPOSITORY / "docs" / "reference"
OUTPUT, COMPARED = FOLDER / "agreement-output.md", FOLDER / "agreement-output-compare.md"

PARTS_OF_THE_TEXT = (
    "metric:",
    "IAA",
    "lost",
    "boxes",
    "score by min IoU",
    "gold",
    "annotator",
    "consistency",
    "habits",
    "accept or reject",
    "alpha on panels",
    "alpha on tokens",
    "judged by two or more",
    "number of subfigures",
    "verdicts",
    "by week",
    "phase 1 beside 2",
    "self-agreement",
    "worst figures",
    "annotations",
)


@dataclass(frozen=True)
class Key:
    """A key of a list. null: whether it may be null. entries: whether the entries of a list may be."""

    path: str
    type: str
    null: bool = False
    entries: bool = False


def keys_of(path: str, type_: str) -> Iterator[Key]:
    """Yield what an entry says of a key: the key itself, and the one beside it that holds the reason for null."""
    parts = re.fullmatch(r"(.*?)(\?)?(?:, else `(\w+)`)?", type_)
    assert parts, type_
    shown, own, reason = parts.groups()
    if own:
        reason = path.rpartition(".")[2] + "_reason"
    plain = shown.removesuffix(" or null")
    listed = plain.startswith("list of numbers")
    may_be_null = reason is not None or plain != shown
    yield Key(path, plain, null=may_be_null and not listed, entries=may_be_null and listed)
    if reason is not None:
        yield Key(path.rpartition(".")[0] + "." * ("." in path) + reason, "string", null=True)


def tables(page: Path) -> dict[str, list[Key]]:
    """Return the keys of the lists ("- `key`, `key` *type*: meaning"), by the anchor of the heading above."""
    found: dict[str, list[Key]] = {}
    heading = ""
    for line in page.read_text(encoding="utf-8").replace("\n  ", " ").splitlines():
        if line.startswith("#"):
            heading = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
        entry = re.fullmatch(r"- ((?:`[^`]+`(?:, )?)+) \*([^*]+)\*(?:: .+)?", line)
        if entry:
            for path in re.findall(r"`([^`]+)`", entry[1]):
                found.setdefault(heading, []).extend(keys_of(path, entry[2]))
    return found


TABLES = {**tables(OUTPUT), **tables(COMPARED)}
#: By their names, the keys that mean the same in every object.
COMMON = {key.path: key for key in TABLES.pop("common-keys")}


def documented(heading: str, prefix: str = "") -> Iterator[Key]:
    """Yield the keys below a heading, with those of the lists that they link."""
    for key in TABLES[heading]:
        path = prefix + key.path
        linked = re.findall(r"#([\w-]+)\)", key.type)
        if linked:
            several = key.type.startswith("list of")
            yield replace(key, path=path, type="list of objects" if several else "object")
            for each in linked:
                yield from documented(each, f"{path}[]." if several else f"{path}.")
        else:
            yield replace(key, path=path)


def number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def a_list(value: object, check: Any) -> bool:
    return isinstance(value, list) and all(check(each) for each in value)


def a_map(value: object, check: Any) -> bool:
    return isinstance(value, dict) and all(map(check, value.values()))


def text(value: object) -> bool:
    return isinstance(value, str)


def integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


CHECKS = {
    "string": text,
    "integer": integer,
    "number": number,
    "true": lambda value: value is True,
    "object": lambda value: isinstance(value, dict),
    "interval": lambda value: a_list(value, number) and len(value) == 2 and value[0] <= value[1],
    "list of objects": lambda value: a_list(value, lambda each: isinstance(each, dict)),
    "list of strings": lambda value: a_list(value, text),
    "list of integers": lambda value: a_list(value, integer),
    "list of numbers": lambda value: a_list(value, lambda each: each is None or number(each)),
    "map of numbers": lambda value: a_map(value, number),
    "map of integers": lambda value: a_map(value, integer),
    "map of strings": lambda value: a_map(value, text),
    "map of lists": lambda value: a_map(value, lambda each: a_list(each, text)),
}


def walked(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every key below a value with what it holds; keys of maps, which are data, are not gone into."""
    if isinstance(value, dict):
        for name, held in value.items():
            here = f"{path}.{name}" if path else name
            yield here, held
            if not is_map(here):
                yield from walked(held, here)
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, dict):
                yield from walked(each, f"{path}[]")


def is_map(path: str) -> bool:
    name = path.rsplit(".", 1)[-1]
    return path == "consensus.annotators" or name in {
        *("losses", "labels", "left_out", "left_out_reasons", "figures_left_out"),
    }


def is_object(path: str, keys: Iterable[str]) -> bool:
    """Return whether keys below this path are documented, which documents the object or list itself."""
    return any(key.startswith((f"{path}.", f"{path}[].")) for key in keys)


def hold_against(heading: str, records: Iterable[object], *, besides: frozenset[str] = frozenset()) -> set[str]:
    """Every key in the records is documented with its type, and every documented key is in some record.

    Returns the common keys in them.
    """
    keys = {key.path: key for key in documented(heading)}
    seen: dict[str, list[object]] = {}
    for record in records:
        for path, value in walked(record):
            seen.setdefault(path, []).append(value)
    assert keys.keys() - seen.keys() == set(), "documented, but nowhere written"
    others = seen.keys() - keys.keys() - besides
    objects = {path for path in others if is_object(path, seen)}
    assert all(isinstance(value, dict | list) for path in objects for value in seen[path]), (
        "null, never documented"
    )
    common = {path: COMMON[name] for path in others - objects if (name := path.rpartition(".")[2]) in COMMON}
    assert others - objects - common.keys() == set(), "not documented"
    keys |= common
    silent = [path for path in keys if all(value is None for value in seen[path])]
    assert silent == [], "null throughout: the work says too little"
    for path, key in keys.items():
        values = [value for value in seen[path] if value is not None]
        assert all(CHECKS[key.type](value) for value in values), f"{path} is no {key.type}"
        if not key.null:
            assert len(values) == len(seen[path]), f"{path} is null, though never documented so"
        if key.type == "list of numbers" and not key.entries:
            assert all(None not in value for value in values), f"{path} holds a null"
    return {path.rpartition(".")[2] for path in common}


# ---- what is written --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of work: two phases, gold, two models, one that nothing can be said of, one in no week."""
    folder = tmp_path_factory.mktemp("work")
    second = [each for each in rich_work("2") if each.annotator != "cho"]
    seen = [replace(each, viewed=("A",), seconds=1.0) if each.annotator == "ann" else each for each in rich_work()]
    # On these one of a pair began from a prediction, on the first ones both did.
    seen = [
        replace(each, seeded_by="classic-1")
        if each.annotator == "ann" and each.figure.id in ("f4", "f5", "f6")
        else each
        for each in seen
    ]
    box = (10, 0, 90, 100)
    lone = [drawn(who, rich_figure("f20")) for who in ("dan", "eve")]
    apart = [
        drawn(who, rich_figure(name), (box, words), day=day, phase=phase, seeded_by="classic-1")
        for who in ("dan", "eve")
        for name, words, day, phase in (
            *(("f20", (2, 3), 0, "1"), ("f21", (), 7, "1"), ("f22", (5,), 14, "1")),
            *(("f23", (2,), 0, "2"), ("f24", (), 0, "3")),
        )
    ]
    again = [
        drawn(who, rich_figure(name), (box, (2, 3)), day=day, phase=phase)
        for who, name, day, phase in (
            ("dan", "f20", 0, "1"),
            *((who, name, 7, "2") for who in ("dan", "eve") for name in ("f20", "f21", "f22")),
        )
    ]
    work = {
        "again.jsonl": again,
        # Nothing was marked on what was seen before, so that no score is defined there.
        "empty.jsonl": [
            drawn(who, rich_figure("f20"), (box, ()), day=day, phase=phase)
            for who, day, phase in (("dan", 0, "1"), ("dan", 7, "2"), ("eve", 7, "2"))
        ],
        "work.jsonl": [*seen, *second],
        "gold.jsonl": rich_gold(),
        "lone.jsonl": lone,
        "apart.jsonl": apart,
    }
    for name, lines in work.items():
        write_lines(folder / name, map(annotation_record, lines))
    for model, covers in (("north", slice(None)), ("south", slice(3, None)), ("west", slice(1))):
        write_lines(folder / f"{model}.jsonl", map(prediction_record, rich_predictions(model)[covers]))
    return folder


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of work on question-answer pairs, and these: two people's, once of one view; answers alone."""
    folder = tmp_path_factory.mktemp("judged")
    pairs = [QAItem(f"p{number}", "How high?", kind, (), "20") for number, kind in enumerate(QAKind)]
    write_lines(folder / "qa.jsonl", ({"figure_id": "f1", **pair_record(item)} for item in pairs))
    kinds = {
        "ann": FigureKind(True, 2, frozenset({"tree"})),
        "ben": FigureKind(False, 3, frozenset({"tree", "graph"})),
    }
    for phase in ("1", "2"):
        work = [
            an_annotation(rich_figure(name), annotator=who, phase=phase, subfigures=(), items=items)
            for name in ("f1", "f2")
            for who, kind in kinds.items()
            for items in [_items(pairs, kind if phase == "1" else kinds["ann"], name, who)]
        ]
        write_lines(folder / f"{phase}.jsonl", map(annotation_record, work))
    alone = Items(answers=(HumanAnswer("p0", "20"),))
    answered = [an_annotation(rich_figure("f1"), annotator=who, subfigures=(), items=alone) for who in kinds]
    write_lines(folder / "answers.jsonl", map(annotation_record, answered))
    return folder


def _items(pairs: list[QAItem], kind: FigureKind, figure: str, who: str) -> Items:
    """Who finds each second pair incorrect, but for ben, who finds them all correct."""
    verdicts = (
        QAVerdict(
            item.id,
            *((Verdict.INCORRECT, replace(item, answer="21")) if at % 2 and who == "ann" else (Verdict.CORRECT,)),
        )
        for at, item in enumerate(pairs)
    )
    answers = (HumanAnswer(item.id, "20" if at % 3 else None) for at, item in enumerate(pairs))
    return Items(kind, tuple(verdicts), tuple(answers) if figure == "f1" else ())


def a_campaign(folder: Path, work: Iterable[Annotation]) -> Path:
    """Make a campaign with this work; of figures with two captions, that on the first."""
    figures: dict[str, Figure] = {}
    home = Home.create(folder)
    with home.open_store() as store, store.transaction() as tx:
        for each in work:
            if each.figure.id not in figures:
                tx.figures.add(each.figure)
            if figures.setdefault(each.figure.id, each.figure) == each.figure:
                tx.annotations.add(each)
    return folder


def output(*arguments: object) -> str:
    done = CliRunner().invoke(group, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def made(*arguments: object) -> Mapping[str, Any]:
    record: Mapping[str, Any] = json.loads(output(*arguments, "--format", "json", "--bootstrap", 50))
    return record


def test_every_key_of_a_report_is_documented_and_every_documented_one_is_there(
    written: Path, judged: Path
) -> None:
    common = hold_against(
        "json-of-a-report",
        [
            made("report", written / "work.jsonl", "--phase", "1", "--against", "2"),
            made("report", written / "lone.jsonl", "--drift", "none"),
            made("report", written / "work.jsonl", "--phase", "1", "--drift", "batch"),
            made("report", written / "apart.jsonl", "--phase", "1", "--against", "2"),
            made("report", written / "apart.jsonl", "--phase", "1", "--against", "3"),
            made("report", written / "again.jsonl", "--phase", "2"),
            made("report", written / "empty.jsonl", "--phase", "2"),
            made("report", judged / "1.jsonl", "--pairs", judged / "qa.jsonl"),
            made("report", judged / "1.jsonl"),
            made("report", judged / "2.jsonl"),
            made("report", judged / "answers.jsonl"),
            # Of campaigns it is known what was corrected.
            made("report", a_campaign(written / "two", rich_work()), "--phase", "1"),
            made("report", a_campaign(written / "one", [drawn("dan", rich_figure("f20"))])),
        ],
    )
    assert common == COMMON.keys()


def test_every_key_of_a_comparison_is_documented_and_every_documented_one_is_there(written: Path) -> None:
    gold, models = written / "gold.jsonl", (written / "north.jsonl", written / "south.jsonl")
    hold_against(
        "json-of-a-comparison",
        [
            made("compare", gold, *models),
            made("compare", gold, models[0]),
            made("compare", gold, *models, "--people", written / "work.jsonl", "--people-phase", "1"),
            made("compare", gold, written / "south.jsonl", written / "west.jsonl"),
            made("compare", gold, written / "lone.jsonl", "--people", written / "lone.jsonl"),
            made("compare", gold, written / "work.jsonl", "--phase", "1", "--no-sweep"),
        ],
    )


def test_every_key_of_a_consensus_is_documented_and_every_documented_one_is_there(written: Path) -> None:
    plain = {path for work in rich_work() for path, _ in walked(annotation_record(work))}
    lines = [
        line
        for options in ([], ["--keep-all", "--quorum", "3"])
        for line in output("consensus", written / "work.jsonl", "--phase", "1", *options).splitlines()
    ]
    hold_against("json-lines-of-a-consensus", map(json.loads, lines), besides=frozenset(plain))


def test_the_tables_that_are_documented_are_written_each_with_a_header(written: Path, tmp_path: Path) -> None:
    output("report", written / "work.jsonl", "--phase", "1", "--format", "csv", "--out", tmp_path)
    page = OUTPUT.read_text(encoding="utf-8").partition("\n## CSV\n")[2]
    listed = [
        name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\S+)`", row)
    ]
    assert sorted(listed) == sorted(path.name for path in tmp_path.iterdir())
    for name in listed:
        head = next(csv.reader(io.StringIO((tmp_path / name).read_text(encoding="utf-8"))))
        assert all(head), name
        assert len(set(head)) == len(head), name


def test_the_text_has_its_parts_in_order(written: Path) -> None:
    report = output("report", written / "work.jsonl", "--phase", "1", "--against", "2", "--bootstrap", 50)
    places = [report.find(f"\n{name}") for name in PARTS_OF_THE_TEXT]
    assert -1 not in places
    assert places == sorted(places)
