"""Refusals are rows: `sandbox_data/rules/*.json` says what each reads like, and where it was seen.

A check yields `refuse("rule-id", i=2, ...)` for each fault that it finds, in the order in which
the faults are to be reported; the first whose rule is switched on is the answer. So a rule that
is off costs nothing but its place, and a check never has to know which rules are on.

A rule of confidence L is on only where a request cannot be taken at all. Then its status is what
counts, and its text is ours. Rules about missing fields and wrong types cannot be switched off:
later checks rely on them.

REPORTS 41 means row 41 of `sandbox_data/reports.json`: where people met that fault in public.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
        explain: what is wrong and how to fix it, in our own words.
    """

    id: str
    wires: list[str]
    status: int
    text: str
    reports: list[int]
    source: str
    confidence: str
    explain: str
    param: str | None = None
    code: str | None = None
    type: str | None = None
    details: Any = None
    on: bool = True

    @property
    def evidence(self) -> str:
        """Where the rule is evidenced, with the public places of its reports."""
        cited = [f"REPORTS {n} ({', '.join(_reports()[str(n)]['where'])})" for n in self.reports]
        return "; ".join([*cited, self.source] if self.source else cited)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule that a request broke, with the words filled in."""

    rule: Rule
    message: str
    param: str | None = None
    values: Mapping[str, object] = field(default_factory=dict)

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


def _reports() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = facts("reports.json")
    return found


@cache
def rule_book() -> Mapping[str, Rule]:
    """Return every rule by its id, in the order of the files."""
    rows = (row for name in _FILES for row in facts(f"rules/{name}.json"))
    return {row["id"]: Rule(**row) for row in rows}


def refuse(rule_id: str, **values: object) -> Refusal:
    """Return the refusal by the rule `rule_id`; `values` fill its templates.

    Raises:
        KeyError: no such rule, or its text needs a value that is not given (a fault of ours).
    """
    rule = rule_book()[rule_id]
    param = rule.param and rule.param.format(**values)
    return Refusal(rule, rule.text.format(**values), param, values)


def refuse_each(rule_id: str, places: Iterable[Mapping[str, object]]) -> Refusal:
    """Return one refusal whose text repeats the rule's line for each place, as Gemini does."""
    rule = rule_book()[rule_id]
    return Refusal(rule, "".join(rule.text.format(**place) for place in places))
