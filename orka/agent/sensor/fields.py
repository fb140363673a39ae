"""Which fields a JSON Schema has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.value import Json

_FORMS = ("allOf", "anyOf", "oneOf")
_PARTS = ("then", "else", "items")
_DEEPEST = 16


def lacks(schema: Json, field: str) -> bool:
    """Whether no value that keeps `schema` can be meant to have `field` (a dotted path, with items
    of lists left out). A schema that names no fields at all leaves them open."""
    return not _has(schema, schema, field)


def _has(schema: Json, root: Json, field: str) -> bool:
    for form in _forms(schema, root, 0):
        if _open(form):
            return True
        names = _named(form)
        if field in names:
            return True
        for name, inner in names.items():
            if field.startswith(f"{name}.") and _has(inner, root, field[len(name) + 1 :]):
                return True
    return False


def _forms(schema: Json, root: Json, depth: int) -> Iterator[Json]:
    """A schema and those it is made of, about the same value or the items of a list."""
    yield schema
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    inner = [schema[key] for key in _PARTS if key in schema]
    inner += [form for key in _FORMS for form in schema.get(key, ())]
    for key in ("$ref", "$dynamicRef"):
        inner += [_found(root, schema[key])] if key in schema else []
    for form in inner:
        yield from _forms(form, root, depth + 1)


def _named(form: Json) -> dict[str, Json]:
    """The fields that a schema itself names."""
    if not isinstance(form, Mapping):
        return {}
    return {**dict.fromkeys(form.get("required", ()), True), **form.get("properties", {})}


def _open(form: Json) -> bool:
    """Whether a schema says nothing about which fields an object has."""
    if not isinstance(form, Mapping):
        return form is True
    if any(key in form for key in ("patternProperties", "$recursiveRef")):
        return True
    extra = form.get("additionalProperties")
    if isinstance(extra, Mapping):
        return True
    told = ("properties", "required", "enum", "const", "$ref", "$dynamicRef", *_FORMS)
    kind = form.get("type", "object")
    objects = "object" in kind if isinstance(kind, list) else kind == "object"
    return objects and extra is not False and not any(key in form for key in told)


def _found(root: Json, ref: str) -> Json:
    """What a reference within the schema leads to; one that is not understood leaves all open."""
    found = root
    if not ref.startswith("#"):
        return True
    for step in filter(None, ref[1:].split("/")):
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or step not in found:
            return True
        found = found[step]
    return found
