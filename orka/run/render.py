"""A node's templated options become plain values."""

from __future__ import annotations

from collections.abc import Mapping

from orka.graph.graph import Rendered
from orka.graph.template import Template
from orka.value import Json


def render(value: Rendered, names: Mapping[str, Json], missing: list[str] | None = None) -> Json:
    """Render every template in `value`, once. A template that is the whole option gives text; one
    inside a map or a list that is a single expression keeps its type. In files of OrKa 0.9 what is
    missing is added to `missing`. Raises `TemplateError`."""
    if isinstance(value, Template):
        return value.render(names, missing)
    return _inside(value, names, missing)


def _inside(value: Rendered, names: Mapping[str, Json], missing: list[str] | None) -> Json:
    if isinstance(value, Template):
        return value.value(names, missing)
    if isinstance(value, dict):
        return {key: _inside(item, names, missing) for key, item in value.items()}
    if isinstance(value, list):
        return [_inside(item, names, missing) for item in value]
    return value
