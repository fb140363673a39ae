"""Templates are rendered once, in a sandbox, and a missing value is an error that names it."""

from __future__ import annotations

import pytest

from orka.errors import TemplateError
from orka.graph.template import Template, Templates
from orka.value import Json

NAMES: dict[str, Json] = {
    "input": {"order": {"id": 1, "items": ["a", "b"]}, "text": "11.8 {{ 7*7 }} {% raw %}"},
    "previous_outputs": {"plan": "go", "kb-search": "K1", "data": {"n": 3, "z": None}},
    "outputs": {},
    "params": {"as_of": "2025-12-01"},
    "run_id": "r",
    "node_id": "n",
}


def template(text: str) -> Template:
    return Templates().compile(text, "here")


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{ previous_outputs.plan }}", "go"),
        ("{{ input.text }}", "11.8 {{ 7*7 }} {% raw %}"),
        ("{% for i in input.order.items %}[{{ i }}]{% endfor %}", "[a][b]"),
        ("{{ previous_outputs['kb-search'] }}", "K1"),
        ('{"q": "{{ previous_outputs.plan }}", "o": {}}', '{"q": "go", "o": {}}'),
        ("{{ previous_outputs.data }}", '{"n": 3, "z": null}'),
        ("{{ input.order.items | tojson }}", '["a", "b"]'),
        ("{{ params.as_of }}\n", "2025-12-01\n"),
        ("{{ input.nothing | default('none') }}", "none"),
        ("no template", "no template"),
    ],
)
def test_a_template_renders(text: str, rendered: str) -> None:
    assert template(text).render(NAMES) == rendered


def test_a_single_expression_keeps_its_type_inside_arguments() -> None:
    assert template("{{ previous_outputs.data.n }}").value(NAMES) == 3
    assert template("{{ input.order.items }}").value(NAMES) == ["a", "b"]
    assert template("{{ previous_outputs.data.z }}").value(NAMES) is None
    assert template("n={{ previous_outputs.data.n }}").value(NAMES) == "n=3"
    assert template("{{ 1 }}{{ 2 }}").value(NAMES) == "12"


@pytest.mark.parametrize("text", ["{{ previous_outputs.gone }}", "{{ input.order.gone.x }}"])
def test_a_missing_value_is_named(text: str) -> None:
    for give in (template(text).render, template(text).value):
        with pytest.raises(TemplateError, match="gone"):
            give(NAMES)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{{ previous_output.x }}", "previous_output"),
        ("{{ open('/etc/passwd') }}", "open"),
        ("{{ input.order.clear() }}", "clear"),
        ("{% for x in input.l %}{{ x.append(1) }}{% endfor %}", "append"),
        ("{{ previous_outputs.kb-search }}", "kb-search"),
        ("{{ x }", "expected"),
        ("{% if input %}", "end of input"),
    ],
)
def test_what_cannot_work_is_refused_before_the_run(text: str, named: str) -> None:
    with pytest.raises(TemplateError, match=named):
        template(text)


@pytest.mark.parametrize(
    "text",
    ["{{ input.__class__ }}", "{{ input.order.__class__.__mro__ }}", "{{ ''.__class__ }}"],
)
def test_nothing_of_python_is_reached(text: str) -> None:
    with pytest.raises(TemplateError):
        template(text).render(NAMES)


def test_a_template_without_end_is_stopped() -> None:
    endless = "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}"
    with pytest.raises(TemplateError, match="OutOfFuel"):
        template(endless).render(NAMES)


def test_errors_never_show_values() -> None:
    with pytest.raises(TemplateError) as raised:
        template("{{ input.secret + 1 }}").render({"input": {"secret": "hunter2"}})
    assert "hunter2" not in str(raised.value)


def test_a_template_tells_what_it_reads() -> None:
    found = template("{{ previous_outputs.a.b }} {{ outputs['c-d'] }} {{ previous_outputs.e }}")
    assert set(found.reads) == {"a", "c-d", "e"}
