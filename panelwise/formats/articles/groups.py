"""Figures that an article has as a group of panels are one compound figure again.

The group has the figure's label or caption, its members those of the panels. Groups of whole figures, such as a
figure and its supplements, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from panelwise.formats.articles.article import ArticleFigure, GroupMember, Markup
from panelwise.formats.articles.labels import label_key

#: The letter of a panel at the end of a label: "(a)", "Fig. 2b", "Panel C".
_LETTER = re.compile(r"(?:^|[\W\d])([A-Za-z])\W*$")


def joined_groups(figures: Sequence[ArticleFigure]) -> tuple[ArticleFigure, ...]:
    """Return the figures of an article, each group of panels as one figure with `members`."""
    return tuple(
        figure for _, members in groupby(figures, key=lambda each: each.group) for figure in _joined(list(members))
    )


def parted(figures: Sequence[ArticleFigure]) -> tuple[ArticleFigure, ...]:
    """Return the figures with those of several pictures apart, each picture with the caption."""
    return tuple(
        each
        for figure in figures
        for each in (
            [
                msgspec.structs.replace(figure, fig_id=part.fig_id, graphics=part.graphics, members=())
                for part in figure.members
            ]
            or [figure]
        )
    )


def _joined(members: list[ArticleFigure]) -> Iterator[ArticleFigure]:
    group = members[0].group
    if group is None or len(members) < 2 or not all(map(_is_panel, members)):
        yield from members
        return
    if not (group["label"] or group["caption"]):
        yield from members
        return
    caption, markup = group["caption"], list[Markup]()
    parts = list[GroupMember]()
    mentions = dict.fromkeys(mention for member in members for mention in member.mentions)
    for member in members:
        letter = _letter(member.label)
        prefix = f"({letter}) " if letter and member.caption and not _begins_with(member.caption, letter) else ""
        start = len(caption) + bool(caption) + len(prefix)
        text = f"{prefix}{member.caption}"
        caption = f"{caption} {text}".strip()
        markup += [Markup(start + each.start, start + each.end, each.tag) for each in member.markup]
        parts.append(GroupMember(member.fig_id, letter, text, member.graphics, member.alternatives))
    yield msgspec.structs.replace(
        members[0],
        fig_id=group["id"] or members[0].fig_id,
        label=group["label"],
        caption=caption,
        markup=tuple(markup),
        graphics=tuple(dict.fromkeys(name for member in members for name in member.graphics)),
        alternatives=1,
        mentions=tuple(mentions),
        members=tuple(parts),
        translations=(),
    )


def _is_panel(figure: ArticleFigure) -> bool:
    """Return whether a figure of a group is a panel of it: it has a letter, or no label of its own."""
    return label_key(figure.label) is None and (not figure.label or bool(_letter(figure.label)))


def _letter(label: str) -> str:
    found = _LETTER.search(label)
    return found[1] if found else ""


def _begins_with(caption: str, letter: str) -> bool:
    return re.match(rf"\W?{re.escape(letter)}\W", caption, re.IGNORECASE) is not None
