"""croissant.json of a release: Croissant 1.1 with the responsible AI (RAI) fields and provenance of each value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from annotator.gold.dataset.citation import author_name, licence_address
from annotator.gold.dataset.datasheet import annotation_protocol, annotators_per_item, platforms, tools
from annotator.gold.dataset.kinds import description
from annotator.gold.dataset.numbers import agreement
from annotator.gold.dataset.rows import GoldRow
from annotator.gold.manifest import Manifest
from panelwise.files import SubfigureRow, WorkRow
from prelabel.training import Split

#: The context that Croissant 1.1 gives, with the vocabularies used here.
_CONTEXT = Path(__file__).parent / "croissant_context.json"
_ENCODINGS = {
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
    ".parquet": "application/x-parquet",
    ".md": "text/markdown",
}
_SPLITS = {Split.TRAIN: "cr:TrainingSplit", Split.VAL: "cr:ValidationSplit", Split.TEST: "cr:TestSplit"}
#: Croissant's type of a column; the others are text.
_TYPES = {
    **dict.fromkeys(("width", "height", "tokens", "subcaption", "revision"), "sc:Integer"),
    **dict.fromkeys(("decided_at", "saved_at"), "sc:DateTime"),
    "box": "cr:BoundingBox",
    "score": "sc:Float",
    "partly_read": "sc:Boolean",
}
#: Columns of lists, and their shape.
_ARRAYS = {"tokens": "-1,2", "references": "-1", "based_on": "-1", "subfigures": "-1"}
_WHAT = {
    "document": "The article; splits go by it.",
    "image": "Path of the image in the release; null where its licence does not allow copies.",
    "tokens": "[start, end) of each token in code points of the caption.",
    "items": "Figure type, verdicts and answers as JSON; empty without any.",
    "box": "x0, y0, x1, y1 in pixels of the image, origin top left.",
    "subfigures": "Label, box and subcaption of each subfigure.",
    "subcaption": "Indices of the caption's tokens that describe the subfigure.",
    "source": "How the gold came about: adjudicated, unanimous or single.",
}


def croissant(manifest: Manifest, citation: str) -> dict[str, Any]:
    """Return the content of croissant.json. The manifest's `files` are described, with their hashes.

    citation: the release as a BibTeX entry.
    """
    about = manifest["about"]
    said = about["statements"]
    return {
        "@context": msgspec.json.decode(_CONTEXT.read_bytes()),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": about["title"],
        "description": description(manifest),
        "version": f"{manifest['number']}.0.0",
        "datePublished": manifest["created_at"],
        "license": licence_address(about["licence"]) or "https://spdx.org/licenses/NONE",
        "citeAs": citation,
        **({"url": about["url"]} if about["url"] else {}),
        **({"creator": [_creator(each) for each in about["authors"]]} if about["authors"] else {}),
        **_responsible(manifest, said),
        "prov:wasGeneratedBy": {"@type": "prov:Activity", "prov:label": annotation_protocol(manifest)},
        "distribution": [_file(name, entry) for name, entry in manifest["files"].items()],
        "recordSet": [_splits(), *_records(manifest["files"])],
    }


def _responsible(manifest: Manifest, said: Mapping[str, str]) -> dict[str, Any]:
    found = {
        "rai:dataCollection": said["collection"],
        "rai:dataAnnotationProtocol": annotation_protocol(manifest),
        "rai:dataAnnotationPlatform": platforms(manifest),
        "rai:dataAnnotationAnalysis": _analysis(manifest),
        "rai:annotationsPerItem": annotators_per_item(manifest),
        "rai:annotatorDemographics": said["demographics"],
        "rai:machineAnnotationTools": tools(manifest),
        "rai:dataBiases": said["biases"],
        "rai:dataUseCases": said["uses"],
        "rai:dataSocialImpact": said["social_impact"],
        "rai:personalSensitiveInformation": said["personal_information"],
        "rai:dataReleaseMaintenancePlan": said["maintenance"],
    }
    return {key: value for key, value in found.items() if value}


def _analysis(manifest: Manifest) -> list[str]:
    return [f"{name} {value}" for name, value in agreement(manifest)]


def _creator(author: Mapping[str, str]) -> dict[str, Any]:
    kind = "sc:Person" if author["forenames"] else "sc:Organization"
    return {"@type": kind, "name": author_name(author), **({"url": author["orcid"]} if author["orcid"] else {})}


def _file(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    ending = name[name.rfind(".") :] if "." in name else ""
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{entry['bytes']} B",
        "encodingFormat": _ENCODINGS.get(ending, "text/plain"),
        "sha256": entry["sha256"],
    }


def _splits() -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "splits",
        "name": "splits",
        "dataType": "cr:Split",
        "key": {"@id": "splits/name"},
        "field": [
            {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"},
            {"@type": "cr:Field", "@id": "splits/url", "name": "url", "dataType": "sc:URL"},
        ],
        "data": [{"splits/name": split.value, "splits/url": url} for split, url in _SPLITS.items()],
    }


def _records(files: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = {f"gold-{split}": GoldRow for split in Split} | {"annotations": WorkRow, "predictions": WorkRow}
    return [
        {
            "@type": "cr:RecordSet",
            "@id": name,
            "name": name,
            "field": [_field(name, f"data/{name}.jsonl", row, each) for each in msgspec.structs.fields(row)],
        }
        for name, row in names.items()
        if f"data/{name}.jsonl" in files
    ]


def _field(
    records: str, file: str, row: type[GoldRow] | type[WorkRow], field: msgspec.structs.FieldInfo
) -> dict[str, Any]:
    name = field.name
    found = _plain_field(f"{records}/{name}", file, name, _TYPES.get(name, "sc:Text"))
    if name in _ARRAYS:
        found |= {"isArray": True, "arrayShape": _ARRAYS[name]}
    if name == "split":
        found["references"] = {"field": {"@id": "splits/name"}}
    if name == "subfigures":
        del found["dataType"], found["source"]
        # The provenance of each value: who drew these boxes is in the same row.
        person = "reviewer" if row is GoldRow else "annotator"
        found["annotation"] = {
            **_plain_field(f"{records}/subfigures/{person}", file, person, "sc:Text"),
            "description": "The person (by pseudonym) or model that the subfigures of this row are from.",
            "equivalentProperty": "prov:wasAttributedTo",
        }
        found["subField"] = [_part(records, file, each.name) for each in msgspec.structs.fields(SubfigureRow)]
    return found


def _part(records: str, file: str, name: str) -> dict[str, Any]:
    """Return a field of each subfigure."""
    found = _plain_field(f"{records}/subfigures/{name}", file, name, _TYPES.get(name, "sc:Text"))
    found["source"]["extract"]["column"] = "subfigures"
    found["source"]["transform"] = {"jsonPath": name}
    # The older spelling of isArray is the one by which mlcroissant reads box by box.
    found["repeated"] = True
    return found


def _plain_field(name_in_file: str, file: str, column: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": name_in_file,
        "name": column,
        **({"description": _WHAT[column]} if column in _WHAT else {}),
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
    }
