"""Writes a pydantic model as its own validation reads it, which is what its JSON Schema describes."""

from __future__ import annotations

from typing import Any

from ._wire import plain


def validation_form(value: Any) -> Any:
    """The JSON of a pydantic model or dataclass, by the names that its schema has.

    Serialization may use other names, and have more members (computed fields) or fewer (excluded fields). The same
    model gives the same JSON each time: the idempotency key of a submission holds for its bytes. Errors: `TypeError`
    with the name of a field that its model cannot read back.
    """
    return _walk(value, plain(value))


def _walk(value: Any, written: Any) -> Any:
    """`written` is the value as it is serialized."""
    if hasattr(type(value), "__pydantic_validator__"):
        return _form(value, written)
    if isinstance(value, dict) and isinstance(written, dict) and len(value) == len(written):
        return {key: _walk(one, text) for one, (key, text) in zip(value.values(), written.items(), strict=True)}
    if isinstance(value, (list, tuple, set, frozenset)) and isinstance(written, list) and len(value) == len(written):
        return [_walk(one, text) for one, text in zip(value, written, strict=True)]
    return written


def _form(value: Any, written: Any) -> Any:
    model = type(value)
    fields = _fields(model)
    if model.__pydantic_decorators__.model_serializers:
        return written
    if "root" in fields and getattr(model, "__pydantic_root_model__", False):
        return _walk(value.root, written)
    if not isinstance(written, dict):
        return written
    names = {info.serialization_alias or info.alias or name: name for name, info in fields.items()}
    computed = _computed(model)
    form: dict[str, Any] = {}
    for key, text in written.items():
        name = names.get(key)
        if name is not None:
            own = _is_custom(model, name)
            form[_key(model, name)] = text if own else _walk(getattr(value, name, None), text)
        elif key not in computed or _config(model).get("extra", "ignore") == "ignore":
            form[key] = text
    for key, name in names.items():
        if key not in written and _is_missed(fields[name]):
            form[_key(model, name)] = _excluded(value, name)
    return form


def _fields(model: Any) -> dict[str, Any]:
    """By name; before pydantic 2.10 a model has them as `model_fields` alone."""
    return dict(getattr(model, "__pydantic_fields__", None) or getattr(model, "model_fields", None) or {})


def _config(model: Any) -> dict[str, Any]:
    return dict(getattr(model, "model_config", None) or getattr(model, "__pydantic_config__", None) or {})


def _computed(model: Any) -> set[str]:
    found = model.__pydantic_decorators__.computed_fields
    return {one.info.alias or name for name, one in found.items()}


def _is_custom(model: Any, name: str) -> bool:
    """Whether a field has a serializer of its own: what that writes is not looked into."""
    serializers = model.__pydantic_decorators__.field_serializers.values()
    if any({name, "*"} & set(one.info.fields) for one in serializers):
        return True
    metadata = _fields(model)[name].metadata
    return any(type(one).__name__ in ("PlainSerializer", "WrapSerializer") for one in metadata)


def _key(model: Any, name: str) -> str:
    """The name of a field in the schema of its model. Errors: `TypeError` where the model does not read that name."""
    info, config = _fields(model)[name], _config(model)
    alias = info.validation_alias or info.alias
    if alias is None:
        return name
    found = _single(alias)
    reads_it = config.get("validate_by_alias", True)
    if found is None:
        reads_it = config.get("validate_by_name") or config.get("populate_by_name")
    if not reads_it:
        raise TypeError(
            f"{model.__name__} does not read its field {name!r} by the name that its schema has: give it a "
            "validation alias of one name."
        )
    return found or name


def _single(alias: Any) -> str | None:
    """The first alias of one name, which is the one in the schema."""
    for choice in getattr(alias, "choices", [alias]):
        path = getattr(choice, "path", [choice])
        if len(path) == 1 and isinstance(path[0], str):
            return path[0]
    return None


def _is_missed(info: Any) -> bool:
    """Whether the schema requires a field that serialization leaves out."""
    return bool(info.is_required() and (info.exclude or getattr(info, "exclude_if", None)))


def _excluded(value: Any, name: str) -> Any:
    # Needed here alone, and there where a model is.
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    field = getattr(value, name)
    try:
        if hasattr(field, "get_secret_value"):
            raise PydanticSerializationError("a secret is not written")
        return _walk(field, to_jsonable_python(field, by_alias=True))
    except PydanticSerializationError as error:
        raise TypeError(
            f"{type(value).__name__} requires its field {name!r}, which is excluded and cannot be written: {error}."
        ) from None
