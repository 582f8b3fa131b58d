"""Training, validation and test: by document, never by figure.

The paper draws 65 / 15 / 20 of its figures at random and puts the figures of its agreement study into the test
(MedICaT, section 3). Figures of one article look alike, so here an article goes as a whole. Articles stand in an
order that hangs on their names and the seed only, and the shares cut it: gold that is added later moves the cuts a
little, and only articles beside them to another split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from panelwise.domain import FormatError
from panelwise.files import open_input


class Split(StrEnum):
    """The split of a figure."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"


#: The file in which MedICaT, and a release, has its splits.
SPLIT_KEYS = "subcaption_split_keys.json"
#: The paper's shares.
SHARES: Mapping[Split, float] = {Split.TRAIN: 0.65, Split.VAL: 0.15, Split.TEST: 0.20}
#: What others call the three.
_NAMES = {
    **{each.value: each for each in Split},
    "training": Split.TRAIN,
    "valid": Split.VAL,
    "validation": Split.VAL,
    "dev": Split.VAL,
}


def split_named(text: str) -> Split | None:
    """The split of that name ("train", "val", "valid", "validation", "dev", "test"); None for any other."""
    return _NAMES.get(text.strip().lower())


def split_documents(
    documents: Iterable[str],
    *,
    test: Collection[str] = (),
    seed: int = 0,
    shares: Mapping[Split, float] = SHARES,
) -> dict[str, Split]:
    """The split of each document. documents: that of each figure, in any order. test: those that must be there.

    The shares are of figures, as nearly as whole documents allow. What must be in the test counts in its share;
    where it is more than that, training and validation share the rest as 65 to 15. With enough documents that are
    free to go anywhere, no split that has a share stays empty.
    """
    sizes, forced = Counter(documents), set(test)
    found = {name: Split.TEST for name in sizes if name in forced}
    free = sorted((name for name in sizes if name not in found), key=lambda name: _place(name, seed))
    ends = _ends(sizes.total(), sum(sizes[name] for name in found), shares)
    before = 0
    for name in free:
        # By its middle: a document goes where most of it lies.
        middle = before + sizes[name] / 2
        found[name] = next((split for split, end in ends.items() if middle < end), Split.TEST)
        before += sizes[name]
    for split in (Split.TRAIN, Split.VAL, Split.TEST):
        if shares[split] > 0 and split not in found.values():
            _fill(split, free, found)
    return {name: found[name] for name in sizes}


def _ends(total: int, forced: int, shares: Mapping[Split, float]) -> dict[Split, float]:
    """Return where training and validation end in the sequence of free figures."""
    tested = max(forced, total * shares[Split.TEST] / sum(shares.values()))
    learnt = shares[Split.TRAIN] + shares[Split.VAL]
    if learnt <= 0:
        return {}
    return {Split.TRAIN: (total - tested) * shares[Split.TRAIN] / learnt, Split.VAL: total - tested}


def _fill(split: Split, free: Sequence[str], found: dict[str, Split]) -> None:
    """Give an empty split the free document next to it in the row, from a split that has two or more."""
    counts = Counter(found.values())
    spare = [name for name in free if counts[found[name]] > 1]
    if spare and split is Split.TRAIN:
        found[spare[0]] = split
    elif spare and split is Split.TEST:
        found[spare[-1]] = split
    elif spare:
        trained = [name for name in spare if found[name] is Split.TRAIN]
        found[trained[-1] if trained else spare[0]] = split


def read_split_keys(path: Path) -> dict[tuple[str, str], Split]:
    """MedICaT's `subcaption_split_keys.json`: {"train": [{"pdf_hash": ..., "fig_key": ...}, ...], ...}.

    Returns the split by (pdf_hash, fig_key). An entry may also be the two joined by an underscore. Of a
    checkpoint's config.json, by ("", figure id). Raises FormatError, one line, for anything else.
    """
    with open_input(path) as file:
        try:
            record = msgspec.json.decode(file.read())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"{path}: not valid JSON ({error}); get a whole copy") from None
    if not isinstance(record, dict) or not record:
        raise FormatError(f'{path}: holds no splits; give {{"train": [...], "val": [...], "test": [...]}}')
    found: dict[tuple[str, str], Split] = {}
    of_checkpoint = "kind" in record and isinstance(record.get("splits"), dict)
    for name, entries in (record["splits"] if of_checkpoint else record).items():
        split = split_named(name)
        if split is None:
            raise FormatError(f'{path}: "{name}" is no split; give train, val and test')
        if not isinstance(entries, list):
            raise FormatError(f'{path}: "{name}" is no list; give one of {{"pdf_hash": ..., "fig_key": ...}}')
        for position, entry in enumerate(entries):
            key = ("", entry) if of_checkpoint and isinstance(entry, str) else _key(entry)
            if key is None:
                raise FormatError(f'{path}: "{name}[{position}]" has no pdf_hash and fig_key; give both')
            if found.setdefault(key, split) is not split:
                raise FormatError(
                    f'{path}: "{name}[{position}]" ({"_".join(key)}) is in "{found[key]}" too; keep it in one'
                )
    return found


def _key(entry: Any) -> tuple[str, str] | None:
    document: Any
    key: Any
    if isinstance(entry, str):
        document, _, key = entry.partition("_")
    elif isinstance(entry, dict):
        document, key = entry.get("pdf_hash"), entry.get("fig_key")
    else:
        return None
    return (document, key) if isinstance(document, str) and isinstance(key, str) and document and key else None


def _place(name: str, seed: int) -> float:
    return int.from_bytes(sha256(f"{seed}\n{name}".encode()).digest()[:8]) / 2**64
