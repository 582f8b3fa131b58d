"""Write what a release says of itself, from its manifest: card, datasheet, licence, citation, metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec

from annotator.gold.dataset.card import card
from annotator.gold.dataset.citation import citation_cff, licence_text
from annotator.gold.dataset.croissant import croissant
from annotator.gold.dataset.datasheet import datasheet
from annotator.gold.dataset.kinds import description, keywords
from panelwise.settings import DatasetSettings, ReleaseSettings


def about(settings: ReleaseSettings, campaign: str) -> dict[str, Any]:
    """Return the manifest's `about`: what the table [release] says. campaign: name, the title without another."""
    record: dict[str, Any] = msgspec.to_builtins(settings)
    record["title"] = settings.title or campaign
    facts = {field.name: record.pop(field.name) for field in fields(DatasetSettings)}
    return {**facts, "statements": record}


def missing(settings: ReleaseSettings) -> list[str]:
    """Return a warning naming the fields of [release] that a dataset needs and that are missing."""
    lacks = [name for name in ("licence", "authors") if not getattr(settings, name)]
    return (
        [f"campaign.toml: [release] has no {' and no '.join(lacks)}; add them and release again"] if lacks else []
    )


def write_documents(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write README.md, DATASHEET.md, LICENSE, CITATION.cff, croissant.json and .zenodo.json into the folder.

    manifest: with `files` of all data, which Croissant lists with their hashes.
    """
    day = manifest["created_at"][:10]
    texts = {
        "README.md": card(manifest),
        "DATASHEET.md": datasheet(manifest),
        "LICENSE": licence_text(manifest["about"]),
        "CITATION.cff": citation_cff(manifest["about"], version=str(manifest["number"]), released=day),
        "croissant.json": _json(croissant(manifest)),
        ".zenodo.json": _json(zenodo(manifest)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def zenodo(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a deposit, in the fields of Zenodo's API. Without a licence that field is missing."""
    about = manifest["about"]
    record = {
        "title": about["title"],
        "upload_type": "dataset",
        "publication_date": manifest["created_at"][:10],
        "version": str(manifest["number"]),
        "description": description(manifest),
        "creators": [_creator(each) for each in about["authors"]],
        "keywords": keywords(manifest),
        "access_right": "open",
    }
    if about["licence"]:
        record["license"] = about["licence"].lower()
    return record


def _creator(author: Mapping[str, str]) -> dict[str, str]:
    """Return a creator: "Name, Forenames"; Zenodo takes an ORCID without its address."""
    creator = {
        "name": ", ".join(filter(None, (author["name"], author["forenames"]))),
        "orcid": author["orcid"].rpartition("/")[2],
        "affiliation": author["affiliation"],
    }
    return {key: value for key, value in creator.items() if value}


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
