"""Memory nodes of 0.9: what was meant by where they wrote their settings."""

from __future__ import annotations

from orka.spec.orka09.book import Keys, Place
from orka.spec.orka09.source import Source
from orka.spec.orka09.words import DECAY, DECAY_IGNORED, MEMORY, MEMORY_IGNORED
from orka.value import Json, parse

_WRITERS = ("memory-writer", "memory_writer")
# What a value that stands in a form as an example says of its field.
_EXAMPLES = {bool: "boolean", int: "number", float: "number", type(None): "any value"}


def memory(source: Source) -> dict[str, Json]:
    """`config` holds what is about the search or the entry; the rest stands beside it."""
    keys, place, head = source.keys, source.keys.place, source.head
    config, params = keys.take("config"), keys.take("params")
    config = dict(config) if isinstance(config, dict) else {}
    for key, value in params.items() if isinstance(params, dict) else ():
        does = f"'params.{key}' counts like 'config.{key}'"
        place.note(does, "ignored everything under `params`", "params", key)
        config.setdefault(key, value)
    made: dict[str, Json] = {"operation": "write" if source.kind in _WRITERS else "read"}
    for name in ("operation", "namespace", "metadata", "key_template"):
        if name in config:
            value = config.pop(name)
            if name not in keys:
                made[name] = value
                place.moved(name, "config", name)
    made |= keys.rest("operation", "namespace", "metadata", "key_template")
    if made["operation"] == "read":
        _unread(made, place)
    preset = keys.take("memory_preset") or head.preset
    if preset is not None:
        made["memory_preset"] = preset
        place.note(f"the preset {preset!r} acts", "no preset changed anything", "memory_preset")
    written = keys.take("decay")
    decay = {**head.decay, **(written if isinstance(written, dict) else {})}
    return made | _part("config", config, place) | _part("decay", decay, place)


def _unread(made: dict[str, Json], place: Place) -> None:
    """Keys of a write have no meaning for a read."""
    for name in ("metadata", "key_template"):
        if made.pop(name, None) is not None:
            place.warn(f"{name!r} has no effect on a read", "the same", name)


def _part(name: str, written: dict[str, Json], place: Place) -> dict[str, Json]:
    """What of `written` means something today."""
    known, idle = (DECAY, DECAY_IGNORED) if name == "decay" else (MEMORY, MEMORY_IGNORED)
    if name == "config" and "top_k" in written and "limit" not in written:
        place.note("'config.top_k' is the limit", "ignored it", "config", "top_k")
        written["limit"] = written.pop("top_k")
    kept = {key: value for key, value in written.items() if key in known}
    rest = [(key, (name, key)) for key in written if key not in known]
    place.leftover(rest, known, (*idle, "top_k"))
    return {name: kept} if kept else {}


def record(keys: Keys) -> dict[str, Json]:
    """The form of a record, if `store_structure` is one. 0.9 never read it: nothing was wrong."""
    if "store_structure" not in keys:
        return {}
    place, where = keys.place, keys.where("store_structure")
    form = _read(keys.take("store_structure"))
    if form is None:
        place.warn("'store_structure' is no form of a record: it has no effect", "lost it", *where)
        return {}
    place.note("'store_structure' is the form of the record", "lost it on the way", *where)
    place.moved("store_structure", *where)
    return {"store_structure": form}


def _read(written: Json) -> dict[str, Json] | None:
    try:
        form = parse(written) if isinstance(written, str) else written
    except ValueError:
        return None
    if not isinstance(form, dict) or not form:
        return None
    return form if isinstance(form.get("properties"), dict) else _typed(form)


def _typed(form: Json) -> Json:
    """The form with the type of each example in its place."""
    if isinstance(form, dict):
        return {name: _typed(said) for name, said in form.items()}
    if isinstance(form, list):
        return [_typed(said) for said in form]
    return _EXAMPLES.get(type(form), form)
