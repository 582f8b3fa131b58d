"""Change the store's URL in the text of a campaign.toml, leaving all else as people wrote it."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from panelwise.domain.errors import FormatError
from panelwise.settings.campaign_phases import quoted

_HEADER = re.compile(r"\s*\[+\s*([A-Za-z0-9_.\"' -]+?)\s*\]+\s*(#.*)?")
_INLINE = re.compile(r"\s*store\s*(\.\s*url\s*)?=")
_URL = re.compile(r"\s*url\s*=")


def with_store_url(text: str, url: str | None, where: str) -> str:
    """Return the text with this URL under [store]; None for the default, the file beside it.

    where: the file, for messages. Raises FormatError if the text cannot be changed safely.
    """
    before = _parsed(text, where)
    kept: list[str] = []
    table: str | None = None
    header = -1
    for line in text.splitlines():
        found = _HEADER.fullmatch(line)
        if found:
            table = found[1]
            if table == "store":
                header = len(kept)
        elif (table is None and _INLINE.match(line)) or (table == "store" and _URL.match(line)):
            continue
        kept.append(line)
    if url is not None:
        if header < 0:
            kept += ["", "[store]"]
            header = len(kept) - 1
        kept.insert(header + 1, f"url = {quoted(url)}")
    changed = "\n".join(kept) + "\n"
    after = _parsed(changed, where)
    wanted = {} if url is None else {"url": url}
    if after.pop("store", {}) != wanted or after != {
        key: value for key, value in before.items() if key != "store"
    }:
        raise FormatError(f"{where}: the store's URL cannot be changed there; set url under [store] by hand")
    return changed


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: cannot be read ({error}); correct it") from None
