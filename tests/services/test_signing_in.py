"""Attempts to sign in and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from argon2 import PasswordHasher

from annotator.accounts import people, sign_in
from annotator.store.rows.records import Outcome
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import Conflict, InvalidAnnotation

PASSWORD = "a good password"
HERE, THERE = "192.0.2.1", "2001:db8::7"


@pytest.fixture(autouse=True)
def _ruth(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    people.add_person(store, "ruth", roles=[Role.REVIEWER], password=PASSWORD)


def outcomes(store: Store, **choice) -> list[tuple[str, Outcome, str]]:
    changes = (Outcome.ADDED, Outcome.DISABLED, Outcome.ROLES_CHANGED)
    log = sign_in.sign_in_log(store, **choice)
    return [(each.name, each.outcome, each.address) for each in log if each.outcome not in changes]


def test_each_attempt_is_kept_with_what_came_of_it_newest_first(store: Store) -> None:
    people.add_person(store, "quiet", roles=[Role.ANNOTATOR])
    assert sign_in.attempt(store, "ruth", "not this one", HERE) is None
    assert sign_in.attempt(store, "ruth", PASSWORD, THERE) is not None
    assert sign_in.attempt(store, "quiet", PASSWORD, HERE) is None
    assert outcomes(store) == [
        ("quiet", Outcome.NO_ACCESS, HERE),
        ("ruth", Outcome.SIGNED_IN, THERE),
        ("ruth", Outcome.WRONG_PASSWORD, HERE),
    ]


def test_a_name_that_nobody_has_is_not_kept_for_it_may_be_a_password(store: Store) -> None:
    sign_in.attempt(store, PASSWORD, PASSWORD, HERE)
    sign_in.record(store, PASSWORD, Outcome.HELD_OFF, HERE)
    assert outcomes(store) == [("", Outcome.HELD_OFF, HERE), ("", Outcome.UNKNOWN_NAME, HERE)]
    with store.read() as tx:
        assert not tx.names.mentions(PASSWORD)


def test_whoever_is_inactive_gets_no_further(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("ruth", frozenset({Role.LEAD}), active=False))
    assert sign_in.attempt(store, "ruth", PASSWORD, HERE) is None
    assert outcomes(store) == [("ruth", Outcome.NO_ACCESS, HERE)]


def test_the_log_is_chosen_from_by_name_failure_and_place(store: Store) -> None:
    people.add_person(store, "tom", roles=[Role.LEAD], password=PASSWORD)
    for name, password in (("ruth", PASSWORD), ("tom", "wrong"), ("nobody", "wrong"), ("tom", PASSWORD)):
        sign_in.attempt(store, name, password, HERE)
    assert [name for name, _, _ in outcomes(store, failed=True)] == ["", "tom"]
    assert outcomes(store, name="tom", failed=True) == [("tom", Outcome.WRONG_PASSWORD, HERE)]
    assert outcomes(store, name="tom", limit=1, offset=1) == [("tom", Outcome.WRONG_PASSWORD, HERE)]
    with store.read() as tx:
        assert set(tx.sign_ins.last_by_name()) == {"ruth", "tom"}


def test_an_address_is_known_after_signing_in_from_it_and_for_a_while(store: Store) -> None:
    sign_in.attempt(store, "ruth", "wrong", THERE)
    sign_in.attempt(store, "ruth", PASSWORD, HERE)
    assert sign_in.signed_in_from(store, "ruth", HERE)
    assert not sign_in.signed_in_from(store, "ruth", THERE)
    assert not sign_in.signed_in_from(store, "tom", HERE)
    later = datetime.now(UTC) + sign_in.PLACE_REMEMBERED + timedelta(minutes=1)
    assert not sign_in.signed_in_from(store, "ruth", HERE, now=later)


def test_a_long_address_is_cut_and_known_again(store: Store) -> None:
    sign_in.attempt(store, "ruth", PASSWORD, "x" * 5000)
    assert sign_in.signed_in_from(store, "ruth", "x" * 5000)
    assert len(sign_in.sign_in_log(store)[0].address) == 100


def test_a_renamed_person_keeps_their_entries_and_a_forgotten_one_their_address_does_not(store: Store) -> None:
    sign_in.attempt(store, "ruth", PASSWORD, HERE)
    with store.transaction() as tx:
        tx.names.rename("ruth", "p-one", forget=True)
    assert outcomes(store) == [("p-one", Outcome.SIGNED_IN, "")]


def test_one_changes_ones_own_password_with_the_present_one_only(store: Store) -> None:
    assert not sign_in.change_password(store, "ruth", "not this one", "another good one", HERE)
    assert people.verify_password(store, "ruth", PASSWORD)
    assert sign_in.change_password(store, "ruth", PASSWORD, "another good one", HERE)
    assert people.verify_password(store, "ruth", PASSWORD) is None
    assert people.verify_password(store, "ruth", "another good one")
    assert outcomes(store) == [
        ("ruth", Outcome.PASSWORD_CHANGED, HERE),
        ("ruth", Outcome.WRONG_PASSWORD, HERE),
    ]


@pytest.mark.parametrize("new", ["", "short", "x" * 1025, PASSWORD])
def test_an_unfit_or_unchanged_password_is_refused_and_the_old_one_holds(store: Store, new: str) -> None:
    with pytest.raises(InvalidAnnotation, match=r"characters|current one"):
        sign_in.change_password(store, "ruth", PASSWORD, new, HERE)
    assert people.verify_password(store, "ruth", PASSWORD)


def test_a_password_that_the_lead_set_meanwhile_is_not_overwritten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(password: str, names: Iterable[str]) -> str:
        monkeypatch.undo()
        monkeypatch.setattr(people, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        people.set_password(store, "ruth", "set by the lead")
        return people.hash_password(password, names)

    monkeypatch.setattr(people, "hash_password", slow)
    with pytest.raises(Conflict):
        sign_in.change_password(store, "ruth", PASSWORD, "another good one", HERE)
    assert people.verify_password(store, "ruth", "set by the lead")
