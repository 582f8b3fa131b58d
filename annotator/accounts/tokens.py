"""Tokens with which people's programs use the HTTP API: shown once, stored as hashes, revoked at any time.

A token is random and as long as a key, so a fast hash of it can't be reversed. It acts with the person's roles.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta

from annotator.store.rows.records import ApiToken
from annotator.store.store import BRIEFLY, Store, Transaction
from panelwise.domain import AnnotatorError, InvalidAnnotation, Person

#: What tokens begin with, so that people and scanners of repositories recognize them.
PREFIX = "pwt_"
#: Random bytes of a token.
RANDOM_BYTES = 32
#: Maximum number of tokens of a person, and of characters of a label.
MOST_TOKENS, LONGEST_LABEL = 50, 100
#: The last use is stored to this precision, so that reading seldom writes.
PRECISION = timedelta(hours=1)


def make_token(store: Store, person: str, label: str, *, now: datetime | None = None) -> str:
    """Make a token for a person and return its text, which can't be looked up later.

    label: what the person calls it. Raises AnnotatorError for an unknown or disabled person, and
    InvalidAnnotation for an unsuitable or repeated label, or one token too many.
    """
    label = label.strip()
    if not 1 <= len(label) <= LONGEST_LABEL or not label.isprintable():
        raise InvalidAnnotation(f"a token needs a name of 1 to {LONGEST_LABEL} characters on one line")
    text = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    with store.transaction() as tx:
        owner = tx.people.get(person)
        if owner is None or not owner.active:
            raise AnnotatorError(f'no active person "{person}"; see `annotator user list`')
        others = tx.tokens.of(person)
        if any(token.label == label for token in others):
            raise InvalidAnnotation(f'there is a token "{label}" already; revoke it, or use another name')
        if len(others) >= MOST_TOKENS:
            raise InvalidAnnotation(f"there are {MOST_TOKENS} tokens already; revoke one first")
        tx.tokens.add(ApiToken(person, label, now or datetime.now(UTC)), _digest(text))
    return text


def revoke_token(store: Store, person: str, label: str) -> None:
    """Revoke a token at once. Raises AnnotatorError if the person has none with that label."""
    with store.transaction() as tx:
        if not tx.tokens.revoke(person, label):
            raise AnnotatorError(f'"{person}" has no token "{label}"')


def tokens_of(store: Store, person: str) -> list[ApiToken]:
    """Return a person's tokens, oldest first."""
    with store.read() as tx:
        return tx.tokens.of(person)


def token_owner(tx: Transaction, text: str) -> tuple[ApiToken, Person] | None:
    """Return the token with that text and its person; None if unknown, revoked, or the person is disabled."""
    token_and_owner = tx.tokens.with_person(_digest(text))
    return token_and_owner if token_and_owner is not None and token_and_owner[1].active else None


def note_use(store: Store, token: ApiToken, text: str, *, now: datetime | None = None) -> None:
    """Store that a token is in use, if that was not stored within PRECISION."""
    now = now or datetime.now(UTC)
    if token.used_at is None or now - token.used_at >= PRECISION:
        with store.transaction(wait=BRIEFLY) as tx:
            tx.tokens.note_use(_digest(text), now)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
