"""The provider's own words, out of whatever it wrapped them in.

Hosts of one wire do not agree on how an error looks; here all the ways that were seen are read.
"""

import json
from typing import Any

LONGEST_TEXT = 300
"""Characters of an answer that is no JSON that an error's message repeats."""


def provider_message(payload: Any) -> str:
    """Return the provider's own words, from any of the envelopes that hosts use.

    Those are an `error` object, an `error` text, a flat `message`, a list around either, and a
    whole error as a JSON string inside another (REPORTS 60, 69, 71, 75). An answer that is no JSON
    is often the page of a proxy; of such a text only the beginning is returned.
    """
    if isinstance(payload, str):
        return _shortened(payload.strip())
    if isinstance(payload, list):
        inside = (provider_message(one) for one in payload if not isinstance(one, list))
        return next(filter(None, inside), "")
    if not isinstance(payload, dict):
        return ""
    error = payload.get("error", payload)
    if not isinstance(error, dict):
        return str(error or "")
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    inner = provider_message(parse(raw)) if isinstance(raw, str) else ""
    return inner or str(error.get("message") or "")


def parse(text: str) -> Any:
    """Return what a text says if it is JSON, else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _shortened(text: str) -> str:
    cut = len(text) - LONGEST_TEXT
    return text if cut <= 0 else f"{text[:LONGEST_TEXT]} … ({cut:,} characters not shown; see .raw)"
