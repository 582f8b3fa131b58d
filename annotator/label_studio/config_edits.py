"""Missing parts of a project's labelling config after an edit by hand."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

#: What annotators choose from.
_OFFERS = ("Label", "Choice")


def missing_parts(there: str, required: str) -> tuple[str, ...]:
    """Describe the project's missing parts of the expected config, for the lead; () if work can be read.

    Compared are names of controls and objects, what each shows or refers to, and the labels and choices. Texts,
    colours, hotkeys and order may differ.
    """
    try:
        found = set(_parts(ElementTree.fromstring(there)))
    except ElementTree.ParseError:
        return ("it is no XML",)
    return tuple(dict.fromkeys(part for part in _parts(ElementTree.fromstring(required)) if part not in found))


def _parts(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        name = element.get("name")
        if name is None:
            continue
        about = f' of "{element.get("toName")}"' if element.get("toName") else ""
        value = element.get("value", "")
        shows = f" showing {value}" if value.startswith("$") else ""
        yield f'{element.tag} "{name}"{about}{shows}'
        for offer in element.iter():
            if offer.tag in _OFFERS:
                yield f'"{offer.get("alias") or offer.get("value")}" in "{name}"'
