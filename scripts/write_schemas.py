"""Write docs/reference/schemas: JSON Schemas of our own files, from the structs that read and write them.

With --check, only say whether they are fresh.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from annotator.gold.dataset.rows import GoldRow
from panelwise.formats.several_images import ImagePart
from panelwise.formats.shapes import Record

FOLDER = Path(__file__).parent.parent / "docs" / "reference" / "schemas"
#: File -> the struct of its records. Keys that a struct does not have are our readers' to refuse or to keep.
SCHEMAS: dict[str, Any] = {
    "annotations": Record,
    "images-of-a-figure": list[str | ImagePart],
    "release-gold": GoldRow,
}


def schema_of(name: str) -> str:
    """Return the schema of one file as JSON text."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(SCHEMAS[name])}
    for definition in schema.get("$defs", {}).values():
        if "description" in definition:
            definition["description"] = inspect.cleandoc(definition["description"])
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    stale = 0
    FOLDER.mkdir(exist_ok=True)
    for name in SCHEMAS:
        file, fresh = FOLDER / f"{name}.json", schema_of(name)
        if "--check" not in sys.argv:
            file.write_text(fresh, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != fresh:
            print(f"{file}: stale; run scripts/write_schemas.py")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
