"""Prints every route of Label Studio and its methods as JSON; runs in Label Studio's own environment."""

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")


def methods(callback: Any) -> list[str]:
    """Return the methods that a view answers; GET and POST for a plain function."""
    if hasattr(callback, "actions"):  # a view set
        return sorted(name for name in callback.actions if name in METHODS)
    view = getattr(callback, "view_class", None) or getattr(callback, "cls", None)
    return [name for name in METHODS if (view is None and name in ("get", "post")) or hasattr(view, name)]


def main() -> None:
    found = importlib.util.find_spec("label_studio")
    assert found is not None
    assert found.origin is not None
    sys.path.insert(0, str(Path(found.origin).parent))
    os.environ["DJANGO_SETTINGS_MODULE"] = "label_studio.core.settings.label_studio"
    import django  # type: ignore[import-not-found]

    django.setup()
    from django.urls import URLPattern, URLResolver, get_resolver  # type: ignore[import-not-found]

    rows: dict[str, list[str]] = {}

    def walk(resolver: Any, prefix: str) -> None:
        for pattern in resolver.url_patterns:
            part = str(pattern.pattern)
            # As ResolverMatch.route joins them.
            route = prefix + part.removeprefix("^") if prefix else part
            if isinstance(pattern, URLResolver):
                walk(pattern, route)
            elif isinstance(pattern, URLPattern):
                rows.setdefault(route, sorted({*rows.get(route, ()), *methods(pattern.callback)}))

    walk(get_resolver(), "")
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
