"""Whether the labelling config of a project is still the one that was sent, and if not, whether it will do."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from xml.etree import ElementTree

#: What annotators choose from.
_OFFERS = ("Label", "Choice")


def config_hash(config: str) -> str:
    """Names a config; blanks around it aside."""
    return hashlib.sha256(config.strip().encode()).hexdigest()


def missing(there: str, required: str) -> tuple[str, ...]:
    """What of the wanted config the one that is there lacks, as a lead would call it; () where work can be read.

    Asked for are names of controls and objects, what each shows or is about, and the labels and choices offered.
    Texts, colours, hotkeys and order are the lead's own.
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
