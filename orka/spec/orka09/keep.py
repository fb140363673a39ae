"""Memory nodes of 0.9: what was meant by where they wrote their settings."""

from __future__ import annotations

from orka.spec.orka09.book import Place
from orka.spec.orka09.source import Source
from orka.spec.orka09.words import DECAY, DECAY_IGNORED, MEMORY, MEMORY_IGNORED
from orka.value import Json

_WRITERS = ("memory-writer", "memory_writer")


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
