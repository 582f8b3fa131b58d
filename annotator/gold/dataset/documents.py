"""Write what a release says of itself: card, datasheet, licence, citation and Croissant, from its manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from annotator.gold.dataset.card import card
from annotator.gold.dataset.citation import citation_cff, licence_text
from annotator.gold.dataset.croissant import croissant
from annotator.gold.dataset.datasheet import datasheet
from panelwise.settings.release_table import ReleaseSettings


def about(settings: ReleaseSettings, campaign: str) -> dict[str, Any]:
    """Return the manifest's `about`: what the table [release] says. campaign: name, the title without another."""
    record: dict[str, Any] = msgspec.to_builtins(settings)
    record["title"] = settings.title or campaign
    return record


def missing(settings: ReleaseSettings) -> list[str]:
    """Return a warning that names what [release] lacks and a dataset needs before others can use it."""
    lacks = [name for name in ("licence", "authors") if not getattr(settings, name)]
    return (
        [f"campaign.toml: [release] has no {' and no '.join(lacks)}; add them and release again"] if lacks else []
    )


def write_documents(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write README.md, DATASHEET.md, LICENSE, CITATION.cff and croissant.json into the release's folder.

    manifest: with `files` of all data, which Croissant lists with their hashes.
    """
    day = manifest["created_at"][:10]
    texts = {
        "README.md": card(manifest),
        "DATASHEET.md": datasheet(manifest),
        "LICENSE": licence_text(manifest["about"]),
        "CITATION.cff": citation_cff(manifest["about"], version=str(manifest["number"]), released=day),
        "croissant.json": json.dumps(croissant(manifest), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
