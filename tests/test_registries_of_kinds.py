"""Every registry by kind of annotation, in any room, has a row for each kind that it is for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType

import agreement
import annotator
import panelwise
from panelwise.domain.kinds import ANSWERS, ITEM_KINDS, KINDS, SUBFIGURES, TYPES, Kind, TaskType

ALL = frozenset(KINDS.values())
#: What a registry may be for: all kinds; those that are not drawn; those of them that reviewers adjudicate; those
#: on pairs.
ON_PAIRS = frozenset(kind for kind in ALL if kind.on_pairs)
WHOLE = (ITEM_KINDS, frozenset(kind for kind in ALL if not kind.drawn), ON_PAIRS, ALL)
#: Those there are, so that the search is seen to find them.
KNOWN = {
    "annotator.adjudication.kinds.supports.SUPPORTS",
    "annotator.checks.run._RULES",
    "annotator.label_studio.payload.items._SCREENS",
    "panelwise.domain.kinds.KINDS",
    "panelwise.formats.items._LAYOUTS",
}


def modules() -> Iterator[ModuleType]:
    for package in (panelwise, agreement, annotator):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            # Label Studio's own process alone can import what is hooked into it.
            if not found.name.endswith((".__main__", ".isolation.hooks")):
                yield importlib.import_module(found.name)


def kind_of(key: object) -> Kind | None:
    if isinstance(key, TaskType):
        return KINDS.get(key)
    return key if isinstance(key, Kind) else None


def registries() -> dict[str, frozenset[Kind]]:
    """Return module and name -> the kinds of which a mapping there has rows."""
    found = {}
    for module in modules():
        for name, value in vars(module).items():
            kinds = [kind_of(key) for key in value] if isinstance(value, Mapping) else []
            if kinds and all(kinds):
                found[f"{module.__name__}.{name}"] = frozenset(filter(None, kinds))
    return found


def lacking(rows: frozenset[Kind]) -> list[str]:
    """Return the task types of the kinds that a registry lacks; none of a whole one."""
    short = [whole - rows for whole in WHOLE if rows <= whole]
    return sorted(kind.task_type.value for kind in min(short, key=len))


def test_every_registry_has_a_row_for_each_kind_that_it_is_for() -> None:
    found = registries()
    assert found.keys() >= KNOWN
    missing = [f"{name} lacks {', '.join(lacking(rows))}" for name, rows in found.items() if lacking(rows)]
    assert not missing, "; ".join(missing)


def test_a_kind_without_its_row_is_named() -> None:
    assert not any(map(lacking, WHOLE))
    for kind in ALL - {SUBFIGURES}:
        assert lacking(ALL - {kind}) == [kind.task_type.value]
    assert lacking(frozenset({TYPES, ANSWERS})) == ["figure-qa"]
