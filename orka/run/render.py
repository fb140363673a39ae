"""A node's templated options become plain values."""

from __future__ import annotations

from collections.abc import Mapping

from orka.graph.graph import Rendered
from orka.graph.template import Template
from orka.value import Json


def render(value: Rendered, names: Mapping[str, Json]) -> Json:
    """Render every template in `value`, once. A template that is the whole option gives text; one
    inside a map or a list that is a single expression keeps its type. Raises `TemplateError`."""
    return value.render(names) if isinstance(value, Template) else _inside(value, names)


def _inside(value: Rendered, names: Mapping[str, Json]) -> Json:
    if isinstance(value, Template):
        return value.value(names)
    if isinstance(value, dict):
        return {key: _inside(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_inside(item, names) for item in value]
    return value
