"""Write docs/reference/openapi.json from the HTTP API's routes; with --check, only say whether it is fresh."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

FILE = Path(__file__).parent.parent / "docs" / "reference" / "openapi.json"


def text() -> str:
    """The document of the app's own routes."""
    from annotator.campaign.home import Home
    from annotator.web.api.v1.openapi import document
    from annotator.web.api.v1.routes import api
    from annotator.web.factory import create_app

    with tempfile.TemporaryDirectory() as folder:
        home = Home.create(Path(folder) / "campaign")
        with home.open_store() as store:
            found = document(create_app(home, store), api.endpoints)
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    fresh = text()
    if "--check" not in sys.argv:
        FILE.write_text(fresh, encoding="utf-8")
    elif not FILE.is_file() or FILE.read_text(encoding="utf-8") != fresh:
        print(f"{FILE}: stale; run scripts/write_openapi.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
