"""Who tried to sign in, when, from where, and what came of it. Append only."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, exists, func, select

from annotator.store.database.tables import sign_ins
from annotator.store.database.values import Row, from_time, to_time
from annotator.store.rows.records import Outcome, SignIn
from annotator.store.rows.statements import Queries, check_name

_FROM_THERE = (
    select(sign_ins.c.id)
    .where(
        sign_ins.c.name == bindparam("name"),
        sign_ins.c.at >= bindparam("since"),
        sign_ins.c.outcome == Outcome.SIGNED_IN.value,
        sign_ins.c.address == bindparam("address"),
    )
    .limit(1)
)


def signed_out(name: str, entry: int) -> ColumnElement[bool]:
    """That the person signed out after the entry of that number."""
    return exists().where(
        sign_ins.c.name == name, sign_ins.c.outcome == Outcome.SIGNED_OUT.value, sign_ins.c.id > entry
    )


class SignInQueries(Queries):
    """The audit of sign-ins."""

    def add_sign_in(self, entry: SignIn) -> None:
        """Keep what came of an attempt."""
        check_name(entry.name)
        row = {
            "at": to_time(entry.at),
            "name": entry.name,
            "outcome": entry.outcome.value,
            "address": entry.address,
        }
        self._insert(sign_ins, row)

    def sign_ins(
        self, *, name: str | None = None, failed: bool = False, limit: int = 50, offset: int = 0
    ) -> list[SignIn]:
        """The newest first: of one name where given, and only what failed where asked for."""
        statement = select(sign_ins).order_by(sign_ins.c.id.desc()).limit(max(0, limit)).offset(max(0, offset))
        if name is not None:
            statement = statement.where(sign_ins.c.name == name)
        if failed:
            statement = statement.where(sign_ins.c.outcome.in_([each.value for each in Outcome if each.failed]))
        return [_entry(row) for row in self._rows(statement)]

    def count_failed_sign_ins(self, since: datetime) -> int:
        """How many attempts did not get in since then."""
        failed = sign_ins.c.outcome.in_([each.value for each in Outcome if each.failed])
        return int(self._scalar(select(func.count()).where(failed, sign_ins.c.at >= to_time(since))))

    def last_sign_ins(self) -> dict[str, datetime]:
        """When each person signed in last, by name."""
        last = (
            select(sign_ins.c.name, func.max(sign_ins.c.at).label("last"))
            .where(sign_ins.c.outcome == Outcome.SIGNED_IN.value)
            .group_by(sign_ins.c.name)
        )
        return {row["name"]: from_time(row["last"]) for row in self._rows(last)}

    def signed_in_from(self, name: str, address: str, since: datetime) -> bool:
        """Whether the person signed in from that address since then."""
        return self._first(_FROM_THERE, name=name, address=address, since=to_time(since)) is not None

    def last_sign_in(self) -> int:
        """The number of the newest entry; 0 where there is none."""
        return int(self._scalar(select(func.max(sign_ins.c.id))) or 0)


def _entry(row: Row) -> SignIn:
    return SignIn(from_time(row["at"]), row["name"], Outcome(row["outcome"]), row["address"])
