from __future__ import annotations

import pytest
from argon2 import PasswordHasher

from annotator.accounts import people as accounts
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import AnnotatorError, InvalidAnnotation


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def test_a_password_is_verified_and_only_its_hash_is_kept(store: Store) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="correct horse", email="r@example.org")
    person = accounts.verify_password(store, "ruth", "correct horse")
    assert person == Person("ruth", frozenset({Role.REVIEWER}), "r@example.org")
    for wrong in ("correct horsE", "", "correct horse ", "x" * 5000):
        assert accounts.verify_password(store, "ruth", wrong) is None
    with store.read() as tx:
        kept = tx.people.password_hash("ruth")
    assert kept is not None
    assert kept.startswith("$argon2id$")
    assert "horse" not in kept


def test_unknown_inactive_and_passwordless_people_cost_a_verification_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.add_person(store, "idle", roles=[Role.REVIEWER], password="correct horse")
    accounts.add_person(store, "none", roles=[Role.ANNOTATOR])
    with store.transaction() as tx:
        tx.people.put(Person("idle", frozenset({Role.REVIEWER}), active=False))
    checked: list[str] = []
    matches = accounts._matches
    monkeypatch.setattr(
        accounts, "_matches", lambda hashed, password: checked.append(hashed) or matches(hashed, password)
    )
    for name in ("nobody", "idle", "none", "", " "):
        assert accounts.verify_password(store, name, "correct horse") is None
    assert len(checked) == 5


@pytest.mark.parametrize("password", ["", "short", "x" * 1025])
def test_unfit_passwords_are_refused(store: Store, password: str) -> None:
    with pytest.raises(AnnotatorError, match="characters"):
        accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password=password)


def test_one_spelling_of_a_password_is_as_good_as_another(store: Store) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="caf\u00e9 au lait")
    assert accounts.verify_password(store, "ruth", "cafe\u0301 au lait")


def test_an_account_is_not_made_twice(store: Store) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="correct horse")
    with pytest.raises(AnnotatorError, match="has an account"):
        accounts.add_person(store, "ruth", roles=[Role.LEAD], password="another one")
    assert accounts.verify_password(store, "ruth", "correct horse")


def test_someone_brought_in_by_an_import_gets_an_account_and_keeps_their_roles(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), "a@example.org"))
    person = accounts.add_person(store, "ann1", roles=[Role.REVIEWER], password="correct horse")
    assert person == Person("ann1", frozenset({Role.ANNOTATOR, Role.REVIEWER}), "a@example.org")


def test_passwords_and_roles_change_and_unknown_names_are_told(store: Store) -> None:
    accounts.add_person(store, "ruth", roles=[Role.ANNOTATOR], password="correct horse")
    assert not accounts.has_reviewer(store)
    accounts.set_password(store, "ruth", "battery staple")
    assert accounts.verify_password(store, "ruth", "correct horse") is None
    assert accounts.verify_password(store, "ruth", "battery staple")
    assert accounts.set_roles(store, "ruth", [Role.LEAD]).roles == {Role.LEAD}
    assert accounts.verify_password(store, "ruth", "battery staple")
    assert accounts.has_reviewer(store)
    with pytest.raises(AnnotatorError, match="no person"):
        accounts.set_password(store, "nobody", "battery staple")
    with pytest.raises(AnnotatorError, match="no person"):
        accounts.set_roles(store, "nobody", [Role.LEAD])


def test_a_hash_of_an_older_cost_is_renewed_when_its_owner_signs_in(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="correct horse")
    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    assert accounts.verify_password(store, "ruth", "correct horse")
    with store.read() as tx:
        assert "t=2" in (tx.people.password_hash("ruth") or "")
    assert accounts.verify_password(store, "ruth", "correct horse")


def test_a_damaged_hash_lets_nobody_in(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("ruth", frozenset({Role.REVIEWER})), password_hash="plain text")
    assert accounts.verify_password(store, "ruth", "plain text") is None


def test_the_list_says_who_has_a_password(store: Store) -> None:
    accounts.add_person(store, "b", roles=[Role.REVIEWER], password="correct horse")
    accounts.add_person(store, "a", roles=[Role.ANNOTATOR])
    assert [(person.name, known) for person, known in accounts.people(store)] == [("a", False), ("b", True)]


def test_signing_in_brings_nobody_back_who_was_renamed_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="correct horse")
    hashed = accounts._hashed

    def hashed_while_renamed(password: str) -> str:
        with store.transaction() as tx:
            tx.names.rename("ruth", "p-x", forget=True)
        return hashed(password)

    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=2, memory_cost=8, parallelism=1))
    monkeypatch.setattr(accounts, "_hashed", hashed_while_renamed)
    accounts.verify_password(store, "ruth", "correct horse")
    with store.read() as tx:
        assert tx.people.all() == [Person("p-x", frozenset({Role.REVIEWER}), active=False)]


def test_nobody_gets_an_account_under_a_name_that_cannot_be_typed(store: Store) -> None:
    with pytest.raises(AnnotatorError, match="control characters"):
        accounts.add_person(store, "a\tb", roles=[Role.REVIEWER])
    assert accounts.people(store) == []


@pytest.mark.parametrize("password", ["password123", "ruth-2026", "RUTH12345", "qwertyuiop"])
def test_a_password_that_everybody_tries_first_is_not_taken(store: Store, password: str) -> None:
    with pytest.raises(InvalidAnnotation, match="too easy to guess"):
        accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password=password)
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="correct horse")
    with pytest.raises(InvalidAnnotation, match="too easy to guess"):
        accounts.set_password(store, "ruth", password)
    assert accounts.verify_password(store, "ruth", "correct horse")


def test_a_password_that_was_taken_before_the_rules_still_signs_in(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "why_weak", lambda *_: "")
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="password123")
    monkeypatch.undo()
    assert accounts.verify_password(store, "ruth", "password123")
