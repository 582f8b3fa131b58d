"""SciVQA's JSON: figures' metadata, and question-answer pairs with them or in a file of their own.

As published it is one flat table: a row per pair, with its figure's metadata in every row.

A figure of a campaign stores its pairs unchanged under the key `qa` of its extra keys. Options are lettered in the
files ([{"A": "12"}, ...], an answer "B,C" names letters) and plain texts in the domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from panelwise.domain.annotation import Prediction
from panelwise.domain.decision import Gold
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, Items, QAItem
from panelwise.files.json_arrays import read_records
from panelwise.files.jsonl import Fields, Line, Problems
from panelwise.files.values import as_flag, as_whole, is_missing, or_none
from panelwise.formats.items import read_qa
from panelwise.formats.losses import Losses

#: The extra key of a figure that holds its pairs.
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


def parts(line: Line, problems: Problems) -> tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]:
    """Return (source, references, extra keys) of a figure's record; a broken pair is a problem and left out.

    The source's document is the paper, the unit of splits. Pairs are among the extra keys.
    """
    fields = Fields(line.where, line.record)
    aside = fields.inside(ASIDE)
    paper = fields.optional_text("paper_id")
    source = {**({"document": paper} if paper else {}), **aside.mapping("source")}
    extra = {key: value for key, value in line.record.items() if key not in _OWN}
    pairs = []
    for entry in fields.objects(PAIRS):
        try:
            read_pair(entry)
        except FormatError as error:
            problems.add(f"{error}; left this pair out")
        else:
            pairs.append(_plain_pair(entry.record))
    if pairs or line.record.get(PAIRS) is not None:
        extra[PAIRS] = pairs
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


def with_pairs(extra: Mapping[str, Any], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return a figure's extra keys with these pairs, which replace those with their ids, in place."""
    given = extra.get(PAIRS)
    listed = {str(pair.get("instance_id")): pair for pair in (given if isinstance(given, list) else ())}
    listed.update((str(pair["instance_id"]), dict(pair)) for pair in pairs)
    return {**extra, PAIRS: list(listed.values())}


def keeping_pairs(figure: Figure, there: Figure) -> Figure:
    """Return the figure with the stored figure's pairs, unless it has a list of its own, even an empty one.

    Pairs may come in a file of their own, which need not be imported each time.
    """
    if figure.extra.get(PAIRS) is not None or PAIRS not in there.extra:
        return figure
    return replace(figure, extra={**figure.extra, PAIRS: there.extra[PAIRS]})


def read_pair(fields: Fields) -> QAItem:
    """Return one pair. Raises FormatError for an unknown type and for options that are no lettered list."""
    return read_qa(fields, tuple(_options(fields)))


def pairs_of(figure: Figure) -> tuple[QAItem, ...]:
    """Return the imported pairs of a campaign's figure; invalid ones are skipped."""
    found = []
    for position, pair in enumerate(raw_pairs(figure)):
        try:
            found.append(read_pair(Fields(f'figure "{figure.id}"', pair, f"{PAIRS}[{position}].")))
        except FormatError:
            continue
    return tuple(found)


def raw_pairs(figure: Figure) -> tuple[Pair, ...]:
    """Return the pairs as in the figure's extra keys, valid or not, with unknown keys."""
    pairs = figure.extra.get(PAIRS)
    return tuple(pair for pair in (pairs if isinstance(pairs, list) else ()) if isinstance(pair, dict))


def imported_kind(figure: Figure) -> FigureKind | None:
    """Return the imported compound flag, count and types of a campaign's figure; None without any.

    Invalid values are skipped.
    """
    given = figure.extra
    types, compound, count = (given.get(key) for key in KIND_KEYS)
    if isinstance(types, str):
        types = types.split(",")
    names = [each.strip() for each in types if isinstance(each, str)] if isinstance(types, list) else []
    number = or_none(as_whole, count)
    found = FigureKind(
        compound=or_none(as_flag, compound),
        count=number if number is not None and 0 <= number < _MOST_PANELS else None,
        types=frozenset(name for name in names if not is_missing(name)),
    )
    return None if found == FigureKind() else found


def predicted_kind(figure: Figure, prediction: Prediction | None) -> Prediction | None:
    """Return what annotators of a figure's type start from: the prediction, if it has a type, else the import's.

    An imported type is a prediction of the version `SEED_IMPORTED`.
    """
    if prediction is not None and prediction.items.kind is not None:
        return prediction
    kind = imported_kind(figure)
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
    extra = dict(figure.extra)
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
    given = extra.pop(PAIRS, None)
    record.update(extra)
    came = given if isinstance(given, list) else []
    record[PAIRS] = [dict(pair) for pair in _settled(came, items)]
    _note_settled(figure, record, came, losses)
    aside = _aside(figure, gold, losses)
    if aside:
        record[ASIDE] = aside
    return record


def _settled(pairs: Sequence[Any], items: Items) -> Iterator[Pair]:
    """Yield the pairs with the gold's edits, verdicts and human answers; pairs new in the gold come last."""
    verdicts = {verdict.item: verdict for verdict in items.verdicts}
    answers = {answer.item: answer for answer in items.answers}
    known: set[str] = set()
    listed = [pair for pair in pairs if isinstance(pair, dict)]
    for name in (*(str(pair.get("instance_id")) for pair in listed), *verdicts, *answers):
        if name in known:
            continue
        known.add(name)
        pair = next((each for each in listed if str(each.get("instance_id")) == name), {"instance_id": name})
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


def _note_settled(figure: Figure, record: Mapping[str, Any], came: Sequence[Any], losses: Losses) -> None:
    """Count in `losses` what the gold added to the pairs, and what it replaced."""
    before = {str(pair.get("instance_id")): pair for pair in came if isinstance(pair, dict)}
    replaced = sum(key in figure.extra and figure.extra[key] != record[key] for key in KIND_KEYS)
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
        return given
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
