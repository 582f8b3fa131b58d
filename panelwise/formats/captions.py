"""Captions with their tokens, and unknown keys of figures, as several layouts store them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from panelwise.domain.caption import Caption, Ranges
from panelwise.domain.errors import FormatError, InvalidAnnotation
from panelwise.files.image_folders import is_caption_name
from panelwise.files.jsonl import Fields, Problems
from panelwise.runtime.messages import counted

#: Key for unknown keys whose names are used by the layout.
CLASHING = "figure_extra"
#: Characters that a caption is made of at most where only its tokens are given.
_LONGEST = 1_000_000
#: Keys that may hold captions, and keys that hold other texts.
_LIKELY = frozenset(
    ("text", "description", "desc", "title", "alt", "alt_text", "figure_text", "fig_text", "image_text")
)
_NO_CAPTIONS = frozenset(("licence", "license", "journal", "author", "authors", "citation", "attribution"))
#: Words from which a text under any other key may be a caption; ids of figures in a message.
_SENTENCE, _NAMED = 5, 3


def read_caption(fields: Fields) -> Caption:
    """Return `caption` with `tokens`, or with the default tokens if the record has none.

    Raises FormatError if the record has a text by another name of captions instead, and for tokens that don't fit.
    """
    check_caption_key(fields, "caption")
    ranges = None if fields.record.get("tokens") is None else tuple(fields.ranges("tokens"))
    return caption_of(fields, fields.optional_text("caption"), ranges)


def check_caption_key(fields: Fields, *names: str) -> None:
    """Raise FormatError if a record has none of a layout's keys for captions, but a text by another such name."""
    if any(fields.record.get(name) is not None for name in names):
        return
    for key, value in fields.record.items():
        if is_caption_name(key) and isinstance(value, str) and value.strip():
            raise fields.error(names[0], f'is missing, but "{key}" holds a text; name it "{names[0]}"')


def may_be_caption(key: str, value: object) -> bool:
    """Return True for a text that may be a figure's caption under another name."""
    if not isinstance(value, str) or key.casefold() in _NO_CAPTIONS:
        return False
    return bool(value.strip()) and (
        is_caption_name(key) or key.casefold() in _LIKELY or len(value.split()) >= _SENTENCE
    )


@dataclass(slots=True)
class WithoutCaption:
    """The figures of a file without a caption.

    count: their number. first: ids of the first ones. keys: counts texts of theirs that may be captions, by key,
    and by the key that captions have in their layout.
    """

    count: int = 0
    first: list[str] = field(default_factory=list)
    keys: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, figure: str, extra: Mapping[str, Any], proper: str) -> None:
        """Count a figure. extra: its record's keys that are not read. proper: key of captions in its layout."""
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.append(f'"{figure}"')
        self.keys.update((key, proper) for key, value in extra.items() if may_be_caption(key, value))

    def report(self, path: Path, problems: Problems) -> None:
        """Note the figures, if there are any."""
        if not self.count:
            return
        said = f"{path}: without a caption: {counted(self.count, 'figure')}, the first {', '.join(self.first)}"
        if self.keys:
            likely = {keys: count for keys, count in self.keys.items() if keys[0].casefold() in _LIKELY}
            (key, proper), count = Counter(likely or self.keys).most_common(1)[0]
            said += f'; {count} of them with a text under "{key}": rename it to "{proper}" if that is the caption'
        problems.note(said)


def caption_of(fields: Fields, text: str | None, ranges: Ranges | None) -> Caption:
    """Return a caption with its tokens, by default the default ones.

    text: None without a caption; each token becomes a word of placeholder letters. Raises FormatError for tokens
    that don't fit.
    """
    if ranges is None:
        return Caption.cut(text or "")
    try:
        return Caption.of_ranges(words_at(fields, "tokens", ranges) if text is None else text, ranges)
    except InvalidAnnotation as error:
        raise FormatError(f"{fields.where}: {error}") from None


def written_extra(extra: Mapping[str, Any], used: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a figure's extra keys to write as they are, and those of names that a layout uses, under CLASHING."""
    clashing = {key: value for key, value in extra.items() if key in used}
    return {key: value for key, value in extra.items() if key not in used}, {
        CLASHING: clashing
    } if clashing else {}


def words_at(fields: Fields, key: str, ranges: Sequence[tuple[int, int]]) -> str:
    """Return a text with a word at each of these ranges. key: of the record, for messages."""
    end = max((end for _, end in ranges), default=0)
    if end > _LONGEST:
        raise fields.error(key, f"end at {end}, beyond any caption; give the caption")
    letters = [" "] * max(end, 0)
    for start, stop in ranges:
        letters[max(start, 0) : stop] = "w" * max(stop - max(start, 0), 0)
    return "".join(letters)
