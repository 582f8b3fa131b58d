"""What is said of a store that cannot be opened."""

from __future__ import annotations

import pytest

from annotator.store.store import Store
from panelwise.domain.errors import StoreError


def refusal(url: str, *, create: bool = False) -> str:
    with pytest.raises(StoreError) as raised:
        Store.open(url, create=create)
    message = str(raised.value)
    assert message.count("\n") == 0
    assert "Traceback" not in message
    return message
