"""Check what a release says against what it holds: schema, splits, licences, counts, agreement and card."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from annotator.gold.dataset import numbers
from annotator.gold.dataset.kinds import counts_of
from annotator.gold.dataset.licences import may_copy
from annotator.gold.dataset.rows import GoldRow
from annotator.gold.dataset.tables import TABLES, whole
from annotator.gold.manifest import Manifest
from annotator.gold.release_agreement import agreement_of
from annotator.gold.releases import Release, exposures
from panelwise.domain import AnnotatorError
from panelwise.files import WorkRow
from panelwise.formats import keys_of, read_annotations, read_gold, read_predictions
from prelabel.training import SPLIT_KEYS, read_split_keys

#: Floats that are computed again may differ by the order of a sum.
_NEAR = 1e-9


def faults(release: Release) -> Iterator[str]:
    """Yield a line for each fault of a release whose files have the right hashes.

    Of one from before releases were datasets only addresses are checked. Raises FormatError without a manifest.
    """
    manifest = release.manifest()
    yield from exposures(release.path)
    if "about" not in manifest:
        return
    folder = release.path
    try:
        rows = list(_tables(folder))
        yield from _splits(folder, manifest, rows)
        yield from _licences(folder, manifest, rows)
        yield from _counts(folder, manifest)
        yield from _agreement(folder, manifest)
    except AnnotatorError as error:
        yield str(error)
    yield from _card(folder / "README.md", manifest)


def _tables(folder: Path) -> Iterator[GoldRow]:
    """Decode every row of every table; yield those of the gold. Raises AnnotatorError for a bad one."""
    for name, kind in TABLES.items():
        path = folder / f"{name}.jsonl"
        if path.exists():
            yield from (row for row in _decoded(path, kind) if isinstance(row, GoldRow))


def _decoded(path: Path, kind: type[GoldRow] | type[WorkRow]) -> Iterator[GoldRow | WorkRow]:
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise AnnotatorError(f"{path}:{number}: not a row of this table ({error})") from None


def _splits(folder: Path, manifest: Manifest, rows: list[GoldRow]) -> Iterator[str]:
    found: dict[str, str] = {}
    for row in rows:
        if found.setdefault(row.document, row.split) != row.split:
            yield f'{folder}: article "{row.document}" is in {found[row.document]} and in {row.split}'
    keys = read_split_keys(folder / SPLIT_KEYS)
    stated = manifest["figures"]
    tables = {row.figure_id: row.split for row in rows}
    for gold in whole(read_gold, folder / "gold.jsonl"):
        names, name = keys_of(gold.figure), gold.figure.id
        said = {
            "data/": tables.pop(name, "no split"),
            SPLIT_KEYS: keys.pop((names["pdf_hash"], names["fig_key"]), "no split"),
            "manifest.json": stated[name]["split"] if name in stated else "no split",
        }
        if len(set(said.values())) > 1:
            places = ", ".join(f"{split} ({file})" for file, split in said.items())
            yield f'{folder}: figure "{name}" is in {places}'
    for extra in [*tables, *map("_".join, keys)]:
        yield f'{folder}: figure "{extra}" has a split, but is not in gold.jsonl'


def _licences(folder: Path, manifest: Manifest, rows: list[GoldRow]) -> Iterator[str]:
    allowed = manifest["about"]["image_licences"]
    for row in rows:
        if row.image is not None and not may_copy(row.licence, allowed):
            yield (
                f'{folder / row.image}: image of figure "{row.figure_id}" is included, but its licence '
                f"({row.licence or 'not stated'}) is none of {', '.join(allowed)}"
            )


def _counts(folder: Path, manifest: Manifest) -> Iterator[str]:
    found = Counter(figures=0, subfigures=0, tokens=0, subcaption_tokens=0, types=0, pairs=0)
    for gold in whole(read_gold, folder / "gold.jsonl"):
        found.update({"figures": 1, **counts_of(gold)})
    works = list(whole(read_annotations, folder / "annotations.jsonl"))
    found["answers"] = sum(len(each.items.answers) for each in works)
    found["annotations"] = len(works)
    found["predictions"] = sum(1 for _ in whole(read_predictions, folder / "predictions.jsonl"))
    stated: Mapping[str, object] = manifest["counts"]
    for name, number in found.items():
        # Releases made before items were counted do not say.
        if stated.get(name, number) != number:
            yield f"{folder / 'manifest.json'}: {name} is {stated[name]}, but the files hold {number}"


def _agreement(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Compare the stated agreement of the released figures with `agreement report annotations.jsonl`.

    Articles are those of figures.jsonl (`--articles`).
    """
    most = manifest["campaign"]["max_boxes"]
    works = [
        each for each in whole(read_annotations, folder / "annotations.jsonl") if len(each.subfigures) <= most
    ]
    articles = {name: entry["document"] for name, entry in manifest["figures"].items()}
    for stated in manifest["agreement"]["phases"]:
        phase = stated["phase"]
        # Releases from before intervals knew articles resampled figures.
        own = articles if "interval_unit" in stated["released"] else {}
        again = agreement_of([each for each in works if each.phase == phase], phase, str, own)
        released: Mapping[str, object] = stated["released"]
        for key, value in again.items():
            if key in released.keys() - {"pairs"} and not _alike(released[key], value):
                yield (
                    f"{folder / 'manifest.json'}: agreement of phase {phase}: {key} is {released[key]}, but "
                    f"annotations.jsonl gives {value}"
                )


def _card(path: Path, manifest: Manifest) -> Iterator[str]:
    written = table_rows(path.read_text(encoding="utf-8", errors="replace"))
    for name, value in numbers.rows(manifest):
        if written.get(name) != value:
            yield f'{path}: "{name}" is {written.get(name, "missing")}, but manifest.json gives {value}'


def table_rows(text: str) -> dict[str, str]:
    """Return name -> value of all tables of a card; the inverse of how README.md writes them."""
    cells = (line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| "))
    return {_plain(row[0]): _plain(row[1]) for row in cells if len(row) == 2}


def _plain(cell: str) -> str:
    return cell.strip().replace("\\|", "|")


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, abs_tol=_NEAR)
    return bool(one == other)
