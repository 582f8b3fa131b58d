"""Write what a release says of itself, from its manifest: card, datasheet, licence, citation, metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import msgspec

from agreement.report import plain_templates
from annotator.gold.dataset import datasheet, numbers
from annotator.gold.dataset.citation import author_name, bibtex, licence_address, quoted
from annotator.gold.dataset.croissant import croissant
from annotator.gold.dataset.kinds import contains_boxes, description, held, keywords, task_categories
from annotator.gold.manifest import About, Manifest
from panelwise.runtime import counted
from panelwise.settings import DatasetSettings, ReleaseSettings
from prelabel.training import Split

#: Hugging Face's names of splits.
_HUB_SPLITS = {Split.TRAIN: "train", Split.VAL: "validation", Split.TEST: "test"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_FILES = {
    "gold.jsonl": "the gold in MedICaT's annotation layout, with provenance",
    "figures.jsonl": "figures: caption, tokens, references, source",
    "annotations.jsonl": "every annotator's work on these figures",
    "predictions.jsonl": "every model's predictions for these figures",
    "data/": "the same as tables: JSON lines, and Parquet with images where the release holds them",
    "coco/": "COCO: the gold, and every annotator's boxes with `rater_id`, a file for each phase",
    "images/": "images of the figures whose licence allows copies",
    "subcaption_split_keys.json": "the splits, as MedICaT writes them",
    "images_not_included.jsonl": "figures whose licence does not allow copies of the image",
    "croissant.json": "Croissant 1.1 with the fields for responsible AI",
    "DATASHEET.md": "the datasheet",
    ".zenodo.json": "metadata for a deposit at Zenodo",
    "manifest.json": "counts, hashes, settings, agreement: what this page was written from",
}


def about(settings: ReleaseSettings, campaign: str) -> About:
    """Return the manifest's `about`: what the table [release] says. campaign: name, the title without another."""
    record: dict[str, Any] = msgspec.to_builtins(settings)
    record["title"] = settings.title or campaign
    facts = {field.name: record.pop(field.name) for field in fields(DatasetSettings)}
    return cast("About", {**facts, "statements": record})


def missing(settings: ReleaseSettings) -> list[str]:
    """Return a warning naming the fields of [release] that a dataset needs and that are missing."""
    lacks = [name for name in ("licence", "authors") if not getattr(settings, name)]
    return (
        [f"campaign.toml: [release] has no {' and no '.join(lacks)}; add them and release again"] if lacks else []
    )


def write_documents(folder: Path, manifest: Manifest) -> None:
    """Write README.md, DATASHEET.md, LICENSE, CITATION.cff, croissant.json and .zenodo.json into the folder.

    The first four are `templates/`. manifest: with `files` of all data, which Croissant lists with their hashes.
    """
    citation = bibtex(manifest["about"], key=f"panelwise_{manifest['name']}", year=manifest["created_at"][:4])
    values = {**_values(manifest), "citation": citation}
    templates = plain_templates(
        Path(__file__).parent / "templates",
        author_name=author_name,
        licence_address=licence_address,
        counted=counted,
        quoted=quoted,
        cell=_cell,
    )
    texts = {Path(name).stem: templates.get_template(name).render(values) for name in templates.list_templates()}
    texts["croissant.json"] = _json(croissant(manifest, citation))
    texts[".zenodo.json"] = _json(zenodo(manifest))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _values(manifest: Manifest) -> dict[str, Any]:
    """Return what the templates show beside the manifest itself."""
    kinds, figures, phases = held(manifest), manifest["counts"]["figures"], manifest["agreement"]["phases"]
    parts = [part for phase in phases for part in (phase["campaign"], phase["released"])]
    units = {part.get("interval_unit", "figure") for part in parts if part["interval"] is not None} or {"figure"}
    left_out = {state: ids if isinstance(ids, int) else len(ids) for state, ids in manifest["left_out"].items()}
    return {
        "manifest": manifest,
        "about": manifest["about"],
        "day": manifest["created_at"][:10],
        "description": description(manifest),
        "size": next((name for most, name in _SIZES if figures < most), "n>1M"),
        "task_categories": task_categories(manifest),
        "keywords": keywords(manifest),
        "configs": list(_configs(manifest)),
        "files": [(name, what) for name, what in _FILES.items() if _has(manifest, name)],
        "boxes": contains_boxes(manifest),
        "on_items": not all(kind.drawn for kind in kinds),
        "counts": numbers.counts(manifest),
        "splits": numbers.splits(manifest),
        "splits_statement": numbers.splits_statement(manifest),
        "articles_unknown": numbers.articles_unknown(manifest),
        "licences": numbers.licences(manifest),
        "agreement": numbers.agreement(manifest),
        "units": " or ".join(f"{unit}s" for unit in sorted(units)),
        "independent": any("work" in part for part in parts),
        "independence": numbers.independence_statement(manifest),
        "missing": ", ".join(f"{count:,} {state}" for state, count in left_out.items() if count),
        "questions": datasheet.QUESTIONS,
        "protocol": datasheet.annotation_protocol(manifest),
        "annotators_per_item": datasheet.annotators_per_item(manifest),
        "tools": datasheet.tools(manifest),
    }


def _has(manifest: Manifest, name: str) -> bool:
    images = [entry["file"] for entry in manifest["figures"].values() if entry["file"]]
    written = ("croissant.json", "DATASHEET.md", ".zenodo.json", "manifest.json", *manifest["files"], *images)
    return any(each == name or (name.endswith("/") and each.startswith(name)) for each in written)


def _configs(manifest: Manifest) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each table with its files by split: Parquet, or JSON lines where that was not written."""
    tables = {
        "gold": [(_HUB_SPLITS[split], f"data/gold-{split}") for split in Split],
        "annotations": [("train", "data/annotations")],
        "predictions": [("train", "data/predictions")],
    }
    for config, parts in tables.items():
        files = [
            (split, next(filter(manifest["files"].__contains__, (f"{path}.parquet", f"{path}.jsonl")), ""))
            for split, path in parts
        ]
        if found := [(split, path) for split, path in files if path]:
            yield config, found


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def zenodo(manifest: Manifest) -> dict[str, Any]:
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
