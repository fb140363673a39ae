"""Checks of the options that agent types and guards have."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from orka.testing.plugin_suite.check import claim, same, short
from orka.testing.plugin_suite.subject import Subject, Thing


def its_options_refuse_keys_nobody_reads(found: Subject, thing: Thing) -> None:
    for kind in _structs(thing.value.config):
        told = f"{kind.__name__} takes unknown keys: add forbid_unknown_fields=True"
        claim(kind.__struct_config__.forbid_unknown_fields, told)


def its_options_cannot_be_changed(found: Subject, thing: Thing) -> None:
    for kind in _structs(thing.value.config):
        claim(kind.__struct_config__.frozen, f"{kind.__name__} can be changed: add frozen=True")


def its_options_have_a_json_schema(found: Subject, thing: Thing) -> None:
    try:
        msgspec.json.schema(thing.value.config)
    except (TypeError, NameError) as error:
        raise AssertionError(f"an editor cannot complete its options: {error}") from None


def the_defaults_of_its_options_are_json(found: Subject, thing: Thing) -> None:
    for field in msgspec.structs.fields(thing.value.config):
        if field.default is msgspec.NODEFAULT:
            continue
        try:
            written = msgspec.to_builtins(field.default)
            again = msgspec.to_builtins(msgspec.convert(written, field.type))
        except (TypeError, msgspec.ValidationError) as error:
            raise AssertionError(f"the default of {field.name!r} is not of its type: {error}")  # noqa: B904  # the reader needs no chain
        same(again, written, f"the default of {field.name!r} read back")


def its_options_have_plain_names(found: Subject, thing: Thing) -> None:
    taken = ("id", "type", "next", "depends_on", "when", "on_error", "writes", "retries")
    for field in msgspec.structs.fields(thing.value.config):
        name = field.encode_name
        claim(name not in (*taken, "backoff", "timeout"), f"{name!r} is a key of every agent")
        claim(name.replace("_", "").isalnum(), f"{short(name)} is no plain name")


OF_OPTIONS = (
    its_options_refuse_keys_nobody_reads,
    its_options_cannot_be_changed,
    its_options_have_a_json_schema,
    the_defaults_of_its_options_are_json,
    its_options_have_plain_names,
)


def _structs(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """The options and all that stand in them."""
    seen: list[type[msgspec.Struct]] = []
    waiting: list[msgspec.inspect.Type] = [msgspec.inspect.type_info(kind)]
    while waiting:
        match waiting.pop():
            case msgspec.inspect.StructType(cls=cls, fields=fields) if cls not in seen:
                seen.append(cls)
                waiting += [field.type for field in fields]
            case msgspec.inspect.UnionType(types=types):
                waiting += types
            case (
                msgspec.inspect.ListType(item_type=item)
                | msgspec.inspect.VarTupleType(item_type=item)
                | msgspec.inspect.DictType(value_type=item)
            ):
                waiting.append(item)
    yield from seen
