"""JSON Schemas that others wrote, as the service reads them: draft 2020-12, without patterns it cannot match."""

from __future__ import annotations

import logging
import re
from typing import Any

logger = logging.getLogger("countersign")

DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose value is data, not a schema."""

NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose value names schemas: a property may be called as a keyword is."""

EXACT = frozenset({"not", "oneOf", "if"})
"""Keywords below which a schema that takes more would refuse more: what cannot be read stays, and is refused."""

MOST_REPEATS = 1000
"""The largest number in a quantifier that the service takes."""

PATTERN_PARTS = re.compile(
    r"\\(?P<escape>[pP]\{(?P<property>[^}]*)\}|.)|(?P<refused>\(\?(?!:|<[A-Za-z_$])|\[\[:|&&|\{,\d+\})|\{(?P<least>\d+),?(?P<most>\d*)\}",
    re.DOTALL,
)
"""Escapes, what the service refuses, and quantifiers with their bounds."""

PROPERTY = re.compile(
    r"""(?:(?:sc|Script|scx|Script_Extensions)=[A-Z]\w*)
    |(?:(?:gc|General_Category)=)?(?:
        L[Cultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?|digit|punct|cntrl
        |Letter|(?:Cased|Uppercase|Lowercase|Titlecase|Modifier|Other)_Letter|(?:Combining_|Nonspacing_|Spacing_)?Mark
        |Enclosing_Mark|Number|(?:Decimal|Letter|Other)_Number|(?:Connector_|Dash_|Open_|Close_|Other_)?Punctuation
        |(?:Initial|Final)_Punctuation|(?:Math_|Currency_|Modifier_|Other_)?Symbol|(?:Space_|Line_|Paragraph_)?Separator
        |Other|Control|Format|Surrogate|Private_Use|Unassigned)
    |Any|ASCII|Assigned|Alpha(?:betic)?|Emoji(?:_Presentation)?|Extended_Pictographic|Hex_Digit|X?ID_(?:Start|Continue)
    |Ideographic|Lower(?:case)?|Math|Upper(?:case)?|White_Space|space""",
    re.VERBOSE,
)
"""General categories, scripts and the usual other properties, as ECMAScript names them in the braces after a p."""

LITERALS = re.compile(r"\\(?:[pPu]\{[^}]*\}|.)|\[(?:[^\]\\]|\\.)*\]", re.DOTALL)
"""Escapes and classes, in which `*` and `+` are not quantifiers."""

TWICE = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})(?:\??(?:[*+]|\{\d+(?:,\d*)?\})|\?\?)")
"""A quantifier after another one; a single question mark after the first makes it lazy."""

ESCAPES = frozenset("dDwWsSbBnrtfvuxc0")
"""What it takes after a backslash, beside punctuation."""


def readable_schema(schema: Any, *, exact: bool = False) -> Any:
    """The schema in draft 2020-12. What the service could not read is left out where it only refuses values.

    Pydantic writes a pattern that looks ahead for each `Decimal`, and tools of MCP servers have schemas of draft 7. The
    tool, or the type of the answer, checks the values itself.
    """
    if isinstance(schema, list):
        return [readable_schema(one, exact=exact) for one in schema]
    if not isinstance(schema, dict):
        return schema
    readable: dict[str, Any] = {}
    for keyword, value in schema.items():
        readable |= _members(schema, keyword, value, exact=exact)
    return readable


def _members(schema: dict[str, Any], keyword: str, value: Any, *, exact: bool) -> dict[str, Any]:
    """What stands for one keyword of a schema."""
    if keyword == "$schema":
        return {keyword: value} if "2020-12" in str(value) else {}
    if keyword == "pattern" and not exact and isinstance(value, str) and not is_readable_pattern(value):
        logger.debug("pattern left out of an answer schema: the service does not read it")
        return {}
    if keyword in DATA:
        return {keyword: value}
    if keyword == "dependencies" and isinstance(value, dict):
        return _dependencies(value, exact=exact)
    if keyword in NAMED and isinstance(value, dict):
        return {keyword: {name: readable_schema(one, exact=exact) for name, one in value.items()}}
    if keyword == "items" and isinstance(value, list):
        return {"prefixItems": readable_schema(value, exact=exact)} if value else {}
    if keyword == "additionalItems":
        return {"items": readable_schema(value, exact=exact)} if isinstance(schema.get("items"), list) else {}
    return {keyword: readable_schema(value, exact=exact or keyword in EXACT)}


def _dependencies(value: dict[str, Any], *, exact: bool) -> dict[str, Any]:
    names = {name: one for name, one in value.items() if isinstance(one, list)}
    schemas = {name: readable_schema(one, exact=exact) for name, one in value.items() if not isinstance(one, list)}
    return {
        **({"dependentRequired": names} if names else {}),
        **({"dependentSchemas": schemas} if schemas else {}),
    }


def is_readable_pattern(pattern: str) -> bool:
    """Whether the service can match it: ECMAScript without assertions that look around, flags and back references."""
    if TWICE.search(LITERALS.sub("x", pattern)):
        return False
    return all(_is_readable(part) for part in PATTERN_PARTS.finditer(pattern))


def _is_readable(part: re.Match[str]) -> bool:
    if part["refused"]:
        return False
    if part["property"] is not None:
        return PROPERTY.fullmatch(part["property"]) is not None
    if part["escape"]:
        escape = part["escape"]
        return escape in ESCAPES or not (escape.isalnum() or escape.isspace())
    return int(part["least"]) <= MOST_REPEATS and int(part["most"] or 0) <= MOST_REPEATS
