"""Reads the schema of the answers that an interrupt of one tool call takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFINITIONS = "#/$defs/"


def taken_decisions(schema: dict[str, Any]) -> list[str]:
    """The types of the decisions that an interrupt takes; none where its schema does not say."""
    return [kind for kind, _ in _branches(schema)]


def edit_schema_of(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The JSON Schema of the arguments in an edit; None where any object is taken."""
    for kind, branch in _branches(schema):
        if kind == "edit":
            action = _resolved(schema, branch.get("properties", {}).get("edited_action", {}))
            return _alone(schema, _resolved(schema, action.get("properties", {}).get("args", {})))
    return None


def _branches(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in schema.get("oneOf") or schema.get("anyOf") or [schema]:
        branch = _resolved(schema, part)
        kind = branch.get("properties", {}).get("type", {})
        name = kind.get("const") or kind.get("enum", [None])[0]
        if name:
            yield name, branch


def _resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").removeprefix(DEFINITIONS)
    resolved: dict[str, Any] = schema.get("$defs", {}).get(name, part) if name else part
    return resolved


def _alone(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of the arguments with the definitions that it uses, and no others."""
    if "properties" not in arguments:
        return None
    used: dict[str, Any] = {}
    open_ = [arguments]
    while open_:
        for name in _references(open_.pop()):
            if name not in used and name in schema.get("$defs", {}):
                used[name] = schema["$defs"][name]
                open_.append(used[name])
    # The schema of a tool that is not a pydantic model brings its own.
    used |= arguments.get("$defs", {})
    return {**arguments, "$defs": used} if used else arguments


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith(DEFINITIONS):
            yield reference.removeprefix(DEFINITIONS)
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _references(one)
