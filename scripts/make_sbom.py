"""Write the bill of materials of a release, CycloneDX 1.6 as JSON.

It names what `requirements/base.txt` locks, with hashes, and what the built front end holds. The same input gives
the same bytes.

Needs the development environment (cyclonedx-bom); asks no network.
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from check_licences import LOCK as FRONT_END
from check_licences import WITHIN, shipped

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "base.txt"


def python_part(lock: Path) -> dict[str, Any]:
    """The bill of the Python packages, as cyclonedx-py makes it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "bom.json"
        command = [sys.executable, "-m", "cyclonedx_py", "requirements", str(lock)]
        command += ["--pyproject", str(ROOT / "pyproject.toml"), "--of", "JSON", "--output-reproducible"]
        done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"cyclonedx-py: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
        made: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return made


def front_end_part(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """The packages in the bundle, as components."""
    found = []
    for each in shipped(lock):
        version = each.version.partition(",")[0]
        component: dict[str, Any] = {
            "bom-ref": f"npm-{each.name}",
            "type": "library",
            "name": each.name,
            "version": version,
            "licenses": [{"license": {"id": each.licence}}],
            "purl": f"pkg:npm/{quote(each.name, safe='/')}@{version}",
        }
        integrity = lock["packages"].get(f"node_modules/{each.name}", {}).get("integrity", "")
        if integrity.startswith("sha512-"):
            digest = base64.b64decode(integrity.removeprefix("sha512-")).hex()
            component["hashes"] = [{"alg": "SHA-512", "content": digest}]
        if each.name in WITHIN:
            component["description"] = each.version
        found.append(component)
    return found


def bill() -> dict[str, Any]:
    """The whole bill; every package is a dependency of the root component."""
    made = python_part(LOCK)
    for component in made["components"]:
        # "requirements line 4: ..." moves with the lock, and repeats the hashes.
        component.pop("description", None)
        old, new = component["bom-ref"], f"pypi-{component['name']}-{component['version']}"
        component["bom-ref"] = new
        for each in made["dependencies"]:
            each["ref"] = new if each["ref"] == old else each["ref"]
    front_end = front_end_part(json.loads(FRONT_END.read_text(encoding="utf-8")))
    made["components"] += front_end
    root = made["metadata"]["component"]["bom-ref"]
    made["dependencies"] = [each for each in made["dependencies"] if each["ref"] != root]
    made["dependencies"] += [{"ref": each["bom-ref"]} for each in front_end]
    everything = sorted(component["bom-ref"] for component in made["components"])
    made["dependencies"].append({"ref": root, "dependsOn": everything})
    made["dependencies"].sort(key=lambda each: each["ref"])
    return made


def wrong(text: str) -> str:
    """List the errors by the schema of CycloneDX; "" for none."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return "" if found is None else str(found).splitlines()[0]


def main() -> int:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist" / f"panelwise-{version}.cdx.json", metavar="FILE"
    )
    asked = parser.parse_args()
    made = bill()
    text = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    problem = wrong(text)
    if problem:
        print(f"the bill is no CycloneDX 1.6: {problem}", file=sys.stderr)
        return 1
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(text, encoding="utf-8")
    print(f"{asked.out}: {len(made['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
