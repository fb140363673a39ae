"""Memory nodes of 0.9: what was meant by where they wrote their settings."""

from __future__ import annotations

from orka.spec.orka09.book import Keys, Place
from orka.spec.orka09.source import Source
from orka.spec.orka09.words import DECAY, DECAY_IGNORED, MEMORY, MEMORY_IGNORED
from orka.value import Json, parse

# Keys of `config` that act only in a write, or only in a read.
_IN_WRITE = ("category", "memory_type", "importance", "ttl", "renew_on_read")
_IN_READ = (
    *("limit", "top_k", "similarity_threshold", "memory_category_filter", "memory_type_filter"),
    *("enable_temporal_ranking", "temporal_weight", "temporal_decay_hours"),
)
# Keys that stand beside `config`, wherever 0.9 had them.
_MOVED = ("operation", "namespace", "metadata", "key_template")
_WRITERS = ("memory-writer", "memory_writer")
# What a value that stands in a form as an example says of its field.
_EXAMPLES = {bool: "boolean", int: "number", float: "number", type(None): "any value"}


def memory(source: Source) -> dict[str, Json]:
    """`config` holds what is about the search or the entry; the rest stands beside it."""
    keys, place, head = source.keys, source.keys.place, source.head
    config, params = keys.take("config"), keys.take("params")
    config = dict(config) if isinstance(config, dict) else {}
    for key, value in params.items() if isinstance(params, dict) else ():
        _param(key, value, config, place)
    made: dict[str, Json] = {"operation": "write" if source.kind in _WRITERS else "read"}
    for name in _MOVED:
        if name in config:
            value = config.pop(name)
            if name not in keys:
                made[name] = value
                place.moved(name, "config", name)
    made |= keys.rest("operation", "namespace", "metadata", "key_template")
    written = keys.take("decay")
    own = dict(written) if isinstance(written, dict) else {}
    decay = {**head.decay, **own}
    if made["operation"] == "read":
        _unread(made, config, own, place)
        decay = {}
    else:
        _unwritten(config, place)
    preset = keys.take("memory_preset") or head.preset
    if preset is not None:
        made["memory_preset"] = preset
        place.note(f"the preset {preset!r} acts", "no preset changed anything", "memory_preset")
    return made | _part("config", config, place) | _part("decay", decay, place)


def _param(key: str, value: Json, config: dict[str, Json], place: Place) -> None:
    """A setting under `params` counts like one under `config`, if that does not say it already."""
    did = "ignored everything under `params`"
    if key not in (*MEMORY, *_MOVED, "top_k"):
        place.leftover([(key, ("params", key))], (*MEMORY, *_MOVED), MEMORY_IGNORED)
        return
    over = key if key in config or key != "top_k" else "limit"
    if over in config:
        does = f"'params.{key}' has no effect: 'config.{over}' counts"
        place.warn(does, did, "params", key)
        return
    name = "limit" if key == "top_k" else key
    place.note(f"'params.{key}' counts like 'config.{name}'", did, "params", key)
    config[name] = value


def _unread(
    made: dict[str, Json], config: dict[str, Json], decay: dict[str, Json], place: Place
) -> None:
    """Keys of a write have no meaning for a read."""
    for name in ("metadata", "key_template"):
        if made.pop(name, None) is not None:
            place.warn(f"{name!r} has no effect on a read", "the same", name)
    if decay:
        place.warn("'decay' has no effect on a read", "a read kept nothing either", "decay")
    _dropped(config, _IN_WRITE, "a read", place)


def _unwritten(config: dict[str, Json], place: Place) -> None:
    """Keys of a read have no meaning for a write."""
    _dropped(config, _IN_READ, "a write", place)


def _dropped(config: dict[str, Json], names: tuple[str, ...], what: str, place: Place) -> None:
    for name in names:
        if config.pop(name, None) is not None:
            place.warn(f"'config.{name}' has no effect on {what}", "the same", "config", name)


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
