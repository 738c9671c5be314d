"""Refusals are rows: `sandbox_data/rules/*.json` says what each reads like, and where it was seen.

A check yields `refuse("rule-id", i=2, ...)` for each fault that it finds, in the order in which
the faults are to be reported; the first whose rule is switched on is the answer. So a rule that
is off costs nothing but its place, and a check never has to know which rules are on.

Each mount has a rule book of its own: the rows, as a profile of the compat mount words them, with
the switches of the sandbox's owner on top (`switches`).

A rule of confidence L is on only where a request cannot be taken at all. Then its status is what
counts, and its text is ours. Rules that are `needed` (missing fields, wrong types) cannot be
switched off: later checks rely on them. A row says whether it is `on` only where that differs.

REPORTS 41 means row 41 of `sandbox_data/reports.json`: where people met that fault in public.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from typing import Any

from skyl_nb.data import facts

_FILES = ("common", "anthropic", "openai", "gemini")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row: what a provider refuses, in which words, and how sure we are.

    Attributes:
        id: the name of the rule, e.g. `anthropic-unanswered-call`.
        wires: the wires that have it; empty for paths outside the four mounts.
        status: the HTTP status of the refusal.
        text: the provider's words, a template for `str.format`.
        param: template of OpenAI's `param`, None for null.
        code: OpenAI's `code`, None for null.
        type: the envelope's error type, None for the one that belongs to the status.
        details: the envelope's details as parsed JSON whose texts are templates, None for none.
        reports: rows of `sandbox_data/reports.json` that evidence it.
        source: what else evidences it, or what is to be known of its evidence.
        confidence: of the text: `H`, `M` or `L`.
        on: whether the rule is on by default.
        needed: whether it has to be on, because later checks rely on it.
        limit: the largest size that is taken, for a rule about a size.
        pattern: the expression that a whole text must match, for a rule about its letters.
        envelope: an envelope of its own, in place of the mount's; see `shaped`.
        explain: what is wrong and how to fix it, in our own words.
    """

    id: str
    wires: list[str]
    status: int
    text: str
    confidence: str
    explain: str
    reports: list[int] = field(default_factory=list)
    source: str = ""
    param: str | None = None
    code: str | None = None
    type: str | None = None
    details: Any = None
    on: bool = True
    needed: bool = False
    limit: int | None = None
    pattern: str = ""
    envelope: Any = None

    @property
    def evidence(self) -> str:
        """Where the rule is evidenced, with the public places of its reports."""
        cited = [f"REPORTS {n} ({', '.join(_reports()[str(n)]['where'])})" for n in self.reports]
        return "; ".join([*cited, self.source] if self.source else cited)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule that a request broke, and where: the values for its templates, place by place."""

    rule: Rule
    places: tuple[Mapping[str, object], ...]

    @property
    def values(self) -> Mapping[str, object]:
        """The values of the first place."""
        return self.places[0]

    @property
    def status(self) -> int:
        """The HTTP status: the rule's own, unless the request asked for one."""
        asked = self.values.get("status")
        return asked if isinstance(asked, int) else self.rule.status

    @property
    def message(self) -> str:
        """The provider's words; a rule that is broken in several places repeats its line."""
        return "".join(self.rule.text.format(**place) for place in self.places)

    @property
    def param(self) -> str | None:
        """OpenAI's `param`."""
        return self.rule.param and self.rule.param.format(**self.values)

    @property
    def details(self) -> Any:
        """The envelope's details with their words filled in."""
        return _filled(self.rule.details, self.values)


def _filled(template: Any, values: Mapping[str, object]) -> Any:
    if isinstance(template, str):
        return template.format(**values)
    if isinstance(template, list):
        return [_filled(one, values) for one in template]
    if isinstance(template, dict):
        return {name: _filled(one, values) for name, one in template.items()}
    return template


def shaped(template: Any, values: Mapping[str, object]) -> Any:
    """Return an envelope: a template of JSON in which `$name` stands for a value."""
    if isinstance(template, str) and template.startswith("$"):
        return values[template[1:]]
    if isinstance(template, list):
        return [shaped(one, values) for one in template]
    if isinstance(template, dict):
        return {name: shaped(one, values) for name, one in template.items()}
    return template


def _reports() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = facts("reports.json")
    return found


@cache
def rule_book() -> Mapping[str, Rule]:
    """Return every rule by its id, in the order of the files."""
    rows = (row for name in _FILES for row in facts(f"rules/{name}.json"))
    return {row["id"]: Rule(**{"on": _is_on(row), **row}) for row in rows}


def _is_on(row: Mapping[str, Any]) -> bool:
    """Say whether a rule is on where its row does not say: what is only inferred is not."""
    return bool(row.get("needed")) or row["confidence"] != "L"


def switches(rules: Mapping[str, bool | int]) -> dict[str, dict[str, Any]]:
    """Return what changes in the rows of the rule book when rules are switched on or off.

    Args:
        rules: by the rule's id True or False; for a rule with a limit also the limit itself,
            which switches it on.

    Raises:
        ValueError: no such rule, or it cannot be switched so.
    """
    return {rule_id: _switch(rule_id, value) for rule_id, value in rules.items()}


def _switch(rule_id: str, value: bool | int) -> dict[str, Any]:
    rule = rule_book().get(rule_id)
    if rule is None:
        near = get_close_matches(rule_id, rule_book(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no rule {rule_id!r}{hint}")
    if isinstance(value, bool):
        if rule.needed and not value:
            raise ValueError(
                f"the rule {rule_id!r} cannot be switched off: later checks rely on it"
            )
        return {"on": value}
    if rule.limit is None:
        raise ValueError(f"the rule {rule_id!r} has no limit: switch it with True or False")
    return {"on": True, "limit": value}


def changed(
    book: Mapping[str, Rule], changes: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Rule]:
    """Return a rule book in which some rows are changed; `changes` are fields by the rule's id."""
    return {**book, **{rule_id: replace(book[rule_id], **row) for rule_id, row in changes.items()}}


def fits(rule_id: str, text: str) -> bool:
    """Say whether a text is as the pattern of a rule wants it."""
    return re.fullmatch(rule_book()[rule_id].pattern, text) is not None


def refuse(rule_id: str, **values: object) -> Refusal:
    """Return the refusal by the rule `rule_id`; `values` fill its templates.

    Raises:
        KeyError: no such rule (a fault of ours).
    """
    return Refusal(rule_book()[rule_id], (values,))


def refuse_each(rule_id: str, places: Iterable[Mapping[str, object]]) -> Refusal:
    """Return one refusal whose text repeats the rule's line for each place, as Gemini does."""
    return Refusal(rule_book()[rule_id], tuple(places))
