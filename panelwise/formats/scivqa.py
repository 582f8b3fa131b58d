"""SciVQA's JSON: figures' metadata, and question-answer pairs with them or in a file of their own.

As published it is one flat table: a row per pair, with its figure's metadata in every row.

A figure of a campaign is stored with its pairs unchanged, under the key `qa` of its record. Options are lettered
in the files ([{"A": "12"}, ...], an answer "B,C" names letters) and plain texts in the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from panelwise.domain.annotation import Prediction
from panelwise.domain.decision import Gold
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import NO_IMPORTED_ITEMS, FigureKind, ImportedItems, Items, QAItem
from panelwise.files.json_arrays import read_records
from panelwise.files.jsonl import Fields, Line, Problems, kind_of
from panelwise.files.values import is_missing
from panelwise.formats.items import read_qa
from panelwise.formats.losses import Losses

#: The key of a figure's record that holds its pairs.
PAIRS = "qa"
#: The extra key of a written record for data that SciVQA can't represent.
ASIDE = "panelwise"
#: Keys that judging adds to a pair, and their content.
JUDGED = {
    "verdict": "verdicts on pairs",
    "note": "notes on verdicts",
    "human_prediction": "human answers",
    "human_note": "notes on human answers",
}
#: Keys of a figure with its imported type; the gold may replace them.
KIND_KEYS = ("figure_type", "compound", "figs_numb")
_ITEM_KEYS = frozenset((PAIRS, *KIND_KEYS))
#: The version of a prediction that is a figure's imported type.
SEED_IMPORTED = "given"
#: A larger number of panels is no count.
_MOST_PANELS = 10**9
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_METADATA = (
    *("figure_type", "compound", "figs_numb", "venue", "categories", "source_dataset", "paper_id", "pdf_url"),
    "split",
)
#: The figure's keys in a flat row; the others are the pair's.
_OF_FIGURE = {"figure_id", "image_file", "caption", "width", "height", *_METADATA}
_OWN = {"figure_id", "caption", "width", "height", "tokens", ASIDE}
Pair = dict[str, Any]
T = TypeVar("T")


def looks_like_scivqa(line: Line) -> bool:
    """Return True if a record of a figures file is SciVQA's."""
    return line.record.get("image_file") is not None and line.record.get("image") is None


def is_flat(path: Path) -> bool:
    """Return True if one of a file's first records (the very first may be invalid) is a pair with its figure."""
    first = islice(read_records(path, Problems()), 8)
    return any(looks_like_scivqa(line) and "instance_id" in line.record for line in first)


def is_pairs(path: Path) -> bool:
    """Return True if one of a file's first records is an imported pair, without its figure's metadata.

    A pair with a verdict is work on it: an export.
    """
    first = islice(read_records(path, Problems()), 8)
    return any(
        {"figure_id", "instance_id", "question"} <= line.record.keys()
        and "verdict" not in line.record
        and not looks_like_scivqa(line)
        for line in first
    )


def figure_row(line: Line) -> Line:
    """Return the figure's part of a flat row."""
    return Line(line.where, {key: value for key, value in line.record.items() if key in _OF_FIGURE})


def parts(line: Line) -> tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]:
    """Return (source, references, extra keys) of a figure's record.

    The source's document is the paper, the unit of splits. Pairs and type are among the extra keys.
    """
    fields = Fields(line.where, line.record)
    aside = fields.inside(ASIDE)
    paper = fields.optional_text("paper_id")
    source = {**({"document": paper} if paper else {}), **aside.mapping("source")}
    extra = {key: value for key, value in line.record.items() if key not in _OWN}
    if line.record.get(PAIRS) is not None:
        extra[PAIRS] = [_plain_pair(pair) if isinstance(pair, dict) else pair for pair in fields.sequence(PAIRS)]
    return source, aside.texts("references"), extra


def read_pairs(path: Path, problems: Problems) -> dict[str, list[Pair]]:
    """Return figure id -> its pairs as in the file, validated; a broken or repeated one is a problem.

    The file is an array or JSON lines. All are in memory, since a figure's pairs may be anywhere. The figure's
    metadata in flat rows is left out.
    """
    found: dict[str, list[Pair]] = {}
    seen: dict[str, str] = {}
    for line in read_records(path, problems):
        fields = Fields(line.where, line.record)
        try:
            figure, item = fields.text("figure_id"), read_pair(fields)
            if item.id in seen:
                raise fields.error("instance_id", f'is "{item.id}", as of {seen[item.id]}; kept the first')
        except FormatError as error:
            problems.add(error)
            continue
        seen[item.id] = line.where
        beside = _OF_FIGURE if looks_like_scivqa(line) else {"figure_id"}
        found.setdefault(figure, []).append(
            {key: value for key, value in _plain_pair(line.record).items() if key not in beside}
        )
    return found


def with_pairs(record: Mapping[str, Any], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return a figure's imported keys with these pairs, which replace those with their ids, in place."""
    listed = {str(pair.get("instance_id")): pair for pair in _listed(record)}
    listed.update((str(pair["instance_id"]), dict(pair)) for pair in pairs)
    return {**record, PAIRS: list(listed.values())}


def keeping_pairs(figure: Figure, there: Figure) -> Figure:
    """Return the figure with the stored figure's pairs, unless it has a list of its own, even an empty one.

    Pairs may come in a file of their own, which need not be imported each time.
    """
    own, stored = figure.imported, there.imported
    if own.record.get(PAIRS) is not None or PAIRS not in stored.record:
        return figure
    record = {**own.record, PAIRS: stored.record[PAIRS]}
    return replace(figure, imported=replace(own, pairs=stored.pairs, record=record))


def read_pair(fields: Fields) -> QAItem:
    """Return one pair. Raises FormatError for an unknown type and for options that are no lettered list."""
    return read_qa(fields, tuple(_options(fields)))


def imported_items(
    where: str, figure: str, keys: Mapping[str, Any], problems: Problems
) -> tuple[Mapping[str, Any], ImportedItems]:
    """Return as `split_items`, of a new record of the figure with that id.

    An invalid pair, or a second one with its id, is a problem and left out. Other values that cannot be read are
    noted, and stay as they are: they may be the author's own keys.
    """
    listed = keys.get(PAIRS)
    if isinstance(listed, list) and any(isinstance(pair, dict) for pair in listed):
        valid: dict[str, Any] = {}
        for position, pair in enumerate(listed):
            try:
                fields = Fields(where, keys).element(PAIRS, position, pair)
                item = read_pair(fields)
                if item.id in valid:
                    raise fields.error("instance_id", f'is "{item.id}", as of an earlier pair')
                valid[item.id] = pair
            except FormatError as error:
                problems.add(f'{error}; left this pair out of figure "{figure}"')
        keys = {**keys, PAIRS: list(valid.values())}
    unknown, items = split_items(where, keys)
    for line in items.unread:
        problems.note(f"{line}; kept as it is, and not used")
    return unknown, items


def split_items(where: str, keys: Mapping[str, Any]) -> tuple[Mapping[str, Any], ImportedItems]:
    """Return a figure's imported keys without those of its pairs and type, and what these hold.

    where: the figure's place, with which each line of `unread` begins.
    """
    record = {key: value for key, value in keys.items() if key in _ITEM_KEYS}
    if not record:
        return keys, NO_IMPORTED_ITEMS
    fields = Fields(where, record)
    unread: list[str] = []
    kind = _read_kind(fields, unread)
    pairs = tuple(_read_pairs(fields, unread))
    unknown = {key: value for key, value in keys.items() if key not in _ITEM_KEYS}
    return unknown, ImportedItems(pairs, kind, record, tuple(unread), tuple(keys))


def _read_pairs(fields: Fields, unread: list[str]) -> Iterator[QAItem]:
    """Yield the valid pairs of a figure's record; `unread` gets a line for each of the others."""
    for position, pair in enumerate(_tried(fields.sequence, PAIRS, unread) or ()):
        try:
            yield read_pair(fields.element(PAIRS, position, pair))
        except FormatError as error:
            unread.append(str(error))


def _read_kind(fields: Fields, unread: list[str]) -> FigureKind | None:
    """Return the type in a figure's record, None without any; `unread` gets a line for each invalid value."""
    types, compound, count = KIND_KEYS
    given = fields.record.get(types)
    names = given.split(",") if isinstance(given, str) else _tried(fields.sequence, types, unread) or ()
    unread += (
        str(fields.error(f"{types}[{position}]", f"holds {kind_of(name)}, not a text"))
        for position, name in enumerate(names)
        if not (isinstance(name, str) or is_missing(name))
    )
    kind = FigureKind(
        compound=_tried(fields.optional_flag, compound, unread),
        count=_tried(partial(_panels, fields), count, unread),
        types=frozenset(name.strip() for name in names if isinstance(name, str) and not is_missing(name)),
    )
    return None if kind == FigureKind() else kind


def _panels(fields: Fields, key: str) -> int | None:
    number = fields.whole(key)
    if number is not None and not 0 <= number < _MOST_PANELS:
        raise fields.error(key, f"holds {number}, which cannot be a number of subfigures")
    return number


def _tried(read: Callable[[str], T], key: str, unread: list[str]) -> T | None:
    """Return the value of a key; None for an invalid one, with a line in `unread`."""
    try:
        return read(key)
    except FormatError as error:
        unread.append(str(error))
        return None


def pair_records(figure: Figure) -> dict[str, Pair]:
    """Return pair id -> the pair as in the figure's record, valid or not, with unknown keys."""
    return {str(pair.get("instance_id")): pair for pair in _listed(figure.imported.record)}


def _listed(record: Mapping[str, Any]) -> list[Pair]:
    """Return the pairs of a figure's record as they are, valid or not."""
    pairs = record.get(PAIRS)
    return [pair for pair in (pairs if isinstance(pairs, list) else ()) if isinstance(pair, dict)]


def predicted_kind(figure: Figure, prediction: Prediction | None) -> Prediction | None:
    """Return what annotators of a figure's type start from: the prediction, if it has a type, else the import's.

    An imported type is a prediction of the version `SEED_IMPORTED`.
    """
    if prediction is not None and prediction.items.kind is not None:
        return prediction
    kind = figure.imported.kind
    return None if kind is None else Prediction(figure, SEED_IMPORTED, (), (), Items(kind))


def pair_record(item: QAItem, pair: Mapping[str, Any] | None = None) -> Pair:
    """Return one pair as SciVQA writes it. pair: its original record, whose other keys are retained."""
    record = dict(pair or {})
    record.update(
        instance_id=item.id,
        qa_pair_type=item.kind.value,
        question=item.question,
        answer_options=[{letter: choice} for letter, choice in zip(_letters(), item.choices, strict=False)],
        answer=item.answer,
    )
    if item.evidence:
        record["evidence"] = sorted(item.evidence)
    return record


def scivqa_record(figure: Figure, gold: Gold | None, losses: Losses) -> dict[str, Any]:
    """Return a figure's metadata with its pairs under `qa`, both as adjudicated where there is gold."""
    figure = figure.shareable()
    extra = dict(figure.record_keys)
    items = gold.items if gold is not None else Items()
    image = extra.pop("image_file", None)
    record: dict[str, Any] = {
        "figure_id": figure.id,
        "image_file": image if isinstance(image, str) and image else PurePosixPath(figure.image).name,
        "caption": figure.caption.text,
    }
    record.update({key: extra.pop(key) for key in _METADATA if key in extra})
    record.setdefault("paper_id", figure.document)
    if items.kind is not None:
        kind = items.kind
        if kind.types:
            record["figure_type"] = ",".join(sorted(kind.types))
        if kind.compound is not None:
            record["compound"] = kind.compound
        if kind.count is not None:
            record["figs_numb"] = str(kind.count)
    extra.pop(PAIRS, None)
    record.update(extra)
    record[PAIRS] = [dict(pair) for pair in _settled(_listed(figure.imported.record), items)]
    _note_settled(figure, record, losses)
    aside = _aside(figure, gold, losses)
    if aside:
        record[ASIDE] = aside
    return record


def _settled(pairs: Sequence[Pair], items: Items) -> Iterator[Pair]:
    """Yield the pairs with the gold's edits, verdicts and human answers; pairs new in the gold come last."""
    verdicts = {verdict.item: verdict for verdict in items.verdicts}
    answers = {answer.item: answer for answer in items.answers}
    known: set[str] = set()
    for name in (*(str(pair.get("instance_id")) for pair in pairs), *verdicts, *answers):
        if name in known:
            continue
        known.add(name)
        pair = next((each for each in pairs if str(each.get("instance_id")) == name), {"instance_id": name})
        verdict, answer = verdicts.get(name), answers.get(name)
        if verdict is not None:
            if verdict.edited is not None:
                pair = pair_record(verdict.edited, pair)
            pair = {**pair, "verdict": verdict.verdict.value}
            if verdict.note:
                pair["note"] = verdict.note
        if answer is not None:
            pair = {**pair, "human_prediction": answer.answer}
            if answer.note:
                pair["human_note"] = answer.note
        yield pair


def _note_settled(figure: Figure, record: Mapping[str, Any], losses: Losses) -> None:
    """Count in `losses` what the gold added to the pairs, and what it replaced."""
    before, came = pair_records(figure), figure.imported.record
    replaced = sum(key in came and came[key] != record[key] for key in KIND_KEYS)
    for pair in record[PAIRS]:
        old = before.get(str(pair.get("instance_id")), {})
        for key in pair.keys() - old.keys():
            if key in JUDGED:
                losses.aside(JUDGED[key], key=f"{PAIRS}[].{key}")
        replaced += sum(old[key] != pair[key] for key in old.keys() & pair.keys())
    losses.left_out(
        "two values under one key, so that the gold's took the place of what had come with figures and pairs",
        replaced,
        instead="`annotator export figures` writes what had come",
    )


def _aside(figure: Figure, gold: Gold | None, losses: Losses) -> dict[str, Any]:
    """Return data that SciVQA can't represent, counted in `losses`."""
    aside: dict[str, Any] = {}
    if figure.references:
        aside["references"] = list(figure.references)
        losses.aside("references", len(figure.references), key=ASIDE)
    if figure.revision > 1:
        aside["revision"] = figure.revision
        losses.aside("numbers of revisions", key=ASIDE)
    source = {key: value for key, value in figure.source.items() if key != "document"}
    if source:
        aside["source"] = source
        losses.aside("keys of figures' sources", len(source), key=ASIDE)
    if gold is not None and gold.items.kind is not None and gold.items.kind.note:
        aside["note"] = gold.items.kind.note
        losses.aside("notes on figure types", key=ASIDE)
    if gold is not None:
        losses.left_out("subfigures", len(gold.subfigures), instead="`annotator export gold` writes them")
    return aside


def _options(fields: Fields) -> Iterator[str]:
    """Yield the options in order; lettered A, B, C, ... or plain texts."""
    plain = {"answer_options": _plain_options(fields.record.get("answer_options"))}
    options = Fields(fields.where, plain).sequence("answer_options")
    for position, (letter, option) in enumerate(zip(_letters(), options, strict=False)):
        key = f"answer_options[{position}]"
        if isinstance(option, str):
            yield option
        elif isinstance(option, dict) and len(option) == 1 and isinstance(option.get(letter), str):
            yield option[letter]
        else:
            raise fields.error(key, f'is not of the kind {{"{letter}": "an option"}}')


def _plain_options(given: Any) -> Any:
    """Return options without what data set libraries add: null for the other letters, or one object for all."""
    if isinstance(given, dict):
        columns = {letter: own if isinstance(own, list) else [own] for letter, own in given.items()}
        given = [{letter: option} for letter, own in columns.items() for option in own]
    if not isinstance(given, list):
        return None if is_missing(given) else given
    options = [
        {letter: own for letter, own in option.items() if own is not None} if isinstance(option, dict) else option
        for option in given
    ]
    return [option for option in options if option]


def _plain_pair(record: Mapping[str, Any]) -> Pair:
    pair = dict(record)
    if "answer_options" in pair:
        pair["answer_options"] = _plain_options(pair["answer_options"])
    return pair


def _letters() -> Iterator[str]:
    """Yield A, B, ... Z, A2, B2, ... for unreasonably long lists."""
    yield from _LETTERS
    for round_ in range(2, 10_000):
        yield from (f"{letter}{round_}" for letter in _LETTERS)
