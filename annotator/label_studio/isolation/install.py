"""Set the extension points before Label Studio's apps are loaded; its own code stays as it is."""

from __future__ import annotations

from typing import Any


def install(settings: Any) -> None:
    """Put our project permission and our middleware into Django's settings, which were just read.

    To be called after DJANGO_SETTINGS_MODULE is set and before the apps are loaded: the project's model takes its
    mixin while it is made.
    """
    package = __name__.rpartition(".")[0]
    settings.PROJECT_MIXIN = f"{package}.hooks.IsolatedProject"
    settings.MIDDLEWARE.append(f"{package}.hooks.IsolationMiddleware")
