"""A node's templated options become plain values."""

from __future__ import annotations

from collections.abc import Mapping

from orka.graph.graph import Rendered
from orka.graph.template import Template
from orka.value import Json


def render(value: Rendered, names: Mapping[str, Json]) -> Json:
    """Render every template in `value`, once. Raises `TemplateError`."""
    if isinstance(value, Template):
        return value.render(names)
    if isinstance(value, dict):
        return {key: render(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [render(item, names) for item in value]
    return value
