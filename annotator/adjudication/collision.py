"""Conflicts: a draft based on an outdated decision, the decision saved meanwhile, and a merge of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.compare.fields import Choice, choice, text_choice
from annotator.adjudication.compare.subfigures import subfigure_parts
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import DecisionView, Draft, ItemsDraft, SubfiguresDraft
from annotator.adjudication.items.state import ItemsComparison
from annotator.adjudication.kinds.supports import ADJUDICATED
from annotator.adjudication.screens import SCREENS
from annotator.adjudication.standing import before_reopening, standing
from annotator.adjudication.state import SubfiguresComparison
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain import Decision, Reopening, Status

Comparison = SubfiguresComparison | ItemsComparison


class Collision(msgspec.Struct, frozen=True):
    """The conflict of a draft with a newer decision. version: of the history's last entry, for the next save.

    current: the decision that holds, with the draft compared to it; None if none does. error: in words.
    """

    version: int
    current: DecisionView | None
    comparison: Comparison | None = msgspec.field(name="conflict")
    error: str = ""


def collision(store: Store, home: Home, figure_id: str, draft: Draft, error: str = "") -> Collision:
    """Build the conflict of an outdated draft. error: the refused save. Raises UnknownFigure."""
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        work = tx.work.of(figure_id)
    current = standing(work.history, work.figure.revision)
    if current is None:
        return Collision(work.version, None, None, error)
    screen = SCREENS[type(draft)]
    earlier, revision = [each for each in work.history if each.version <= draft.version], work.figure.revision
    loaded = loaded_decision(work.history, draft.version, revision)
    start = loaded or before_reopening(earlier, revision)
    if start is None:
        base = screen.draft(version=0, status=Status.ACCEPTED, **screen.start(work, home, keys))
    else:
        base = _draft_of(screen.view(start, keys), screen.draft)
    theirs = screen.view(current, keys)
    found = compare(draft, theirs, base, loaded=loaded.version if loaded else None, send=work.version)
    return Collision(work.version, theirs, found, error)


def loaded_decision(history: Sequence[Decision | Reopening], version: int, revision: int) -> Decision | None:
    """The decision that a draft of that version began from; None for none, or for one on another revision."""
    found = next((entry for entry in history if entry.version == version), None)
    if not isinstance(found, Decision) or found.figure.revision != revision:
        return None
    return standing([entry for entry in history if entry.version <= version], revision)


def _draft_of(view: DecisionView, draft: type[Draft]) -> Draft:
    """The draft that a decision would have come of."""
    fields = set(draft.__struct_fields__) & set(view.__struct_fields__)
    return draft(**{name: getattr(view, name) for name in fields})


def compare(draft: Draft, current: DecisionView, base: Draft, *, loaded: int | None, send: int) -> Comparison:
    """A draft beside the decision that came first.

    base: what both started from; of version `loaded`, None if that was no decision, so that its status is none.
    send: the version that the merge is to be sent over.
    """
    flags = (draft.guideline_flag or "").strip(), current.guideline_flag or "", base.guideline_flag or ""
    flag = text_choice(*flags)
    choices: dict[str, Choice[Any]] = {
        "status": choice(draft.status, current.status, None if loaded is None else base.status),
        "note": text_choice(draft.note.strip(), current.note, base.note),
        "error_kind": choice(draft.error_kind, current.error_kind, base.error_kind),
        "guideline_flag": Choice(flag.mine or None, flag.theirs or None, flag.merged or None, flag.clash),
    }
    comparison, merge = _MERGES[type(draft)]
    fields, merged, unclear = merge(draft, current, base)
    taken = type(draft)(
        version=send,
        based_on=tuple(dict.fromkeys((*current.based_on, *draft.based_on))),
        seconds=draft.seconds,
        second=draft.second,
        **{name: each.merged for name, each in choices.items()},
        **merged,
    )
    clashes = sum(each.clash for each in choices.values()) + unclear
    return comparison(base=loaded, **choices, **fields, merged=taken, clashes=clashes)


#: The fields of a comparison, those of the merged draft, and how many parts somebody must look at.
_Merged = tuple[dict[str, Any], dict[str, Any], int]


def _merge_subfigures(draft: Any, current: Any, base: Any) -> _Merged:
    mine = [Panel(one.label.strip(), one.box, tuple(sorted(set(one.tokens)))) for one in draft.subfigures]
    parts = tuple(subfigure_parts(mine, current.subfigures, base.subfigures))
    merged = tuple(part.merged for part in parts if part.merged)
    return {"subfigures": parts}, {"subfigures": merged}, sum(part.clash for part in parts)


def _merge_items(draft: Any, current: Any, base: Any) -> _Merged:
    parts = {support: support.merged(draft, current, base) for support in ADJUDICATED}
    return (
        {support.shown: support.as_field(own) for support, own in parts.items()},
        {support.kind.field: support.as_field(part.merged for part in own) for support, own in parts.items()},
        sum(part.clash for own in parts.values() for part in own),
    )


_MERGES: Mapping[type[Draft], tuple[Callable[..., Comparison], Callable[[Any, Any, Any], _Merged]]] = {
    SubfiguresDraft: (SubfiguresComparison, _merge_subfigures),
    ItemsDraft: (ItemsComparison, _merge_items),
}
