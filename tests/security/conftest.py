"""The campaign of the tests of the web, for those of its defences."""

from __future__ import annotations

from web.conftest import _cheap_hashes, _compiled_once, app, campaign, client, home, sign_in, store

__all__ = ["_cheap_hashes", "_compiled_once", "app", "campaign", "client", "home", "sign_in", "store"]
