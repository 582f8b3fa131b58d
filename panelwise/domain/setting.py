"""Describe a setting once: its text, its limits and an example, beside its type and default in a table's class."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

from panelwise.domain.figure import LARGEST


@dataclass(frozen=True, slots=True)
class Setting:
    """The description of a setting, annotated at its field.

    text: what it does, in Markdown as docs/reference/campaign.md has it. default: words for the default where the
    value itself does not say it. least, most: limits of a number; above: a limit that is no valid value itself.
    pattern: regular expression of a text, or of each text in a list. give: what a mistaken value should be.
    example: TOML in place of the default. clean: applied to a text, or to each text in a list. numbered: a whole
    number is read as a text.
    """

    text: str
    default: str = ""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    pattern: str = ""
    give: str = ""
    example: str = ""
    clean: Callable[[str], str] = str
    numbered: bool = False

    @property
    def limits(self) -> str:
        """Return the limits in words: "from 1 to 5000"; "" without any."""
        most = None if self.most == LARGEST else self.most
        if self.least is not None:
            return f"from {self.least} up" if most is None else f"from {self.least} to {most}"
        above = "" if self.above is None else f"above {self.above}"
        if most is None:
            return above
        return f"{above} and up to {most}" if above else f"up to {most}"

    def admits(self, value: float) -> bool:
        """Return whether a number is within the limits."""
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """A setting of a table: its key, type, default (MISSING if it is required) and description."""

    key: str
    kind: Any
    default: Any
    setting: Setting

    @property
    def required(self) -> bool:
        """Return whether the setting has no default."""
        return self.default is MISSING

    @property
    def element(self) -> Any:
        """Return the type of a list's elements; the type itself if it is no list."""
        return get_args(self.kind)[0] if get_origin(self.kind) in (tuple, frozenset) else self.kind


def setting_rows(table: type) -> Mapping[str, Row]:
    """Return the described fields of a dataclass by key, in their order."""
    return _rows(cast(Hashable, table))


@cache
def _rows(table: Any) -> Mapping[str, Row]:
    hints = get_type_hints(table, include_extras=True)
    rows = {}
    for field in fields(table):
        hint = hints[field.name]
        if get_origin(hint) is Annotated:
            kind, setting = get_args(hint)
            rows[field.name] = Row(field.name, kind, field.default, setting)
    return rows


@cache
def _limited(table: Any) -> tuple[Row, ...]:
    return tuple(row for row in setting_rows(table).values() if row.setting.limits)


def limit_problems(table: Any) -> Iterator[str]:
    """Yield a problem for each number of a table that is outside its limits; None is valid."""
    for row in _limited(cast(Hashable, type(table))):
        value = getattr(table, row.key)
        if value is not None and not row.setting.admits(value):
            yield f"{row.key} = {value} is invalid; give a number {row.setting.limits}"
