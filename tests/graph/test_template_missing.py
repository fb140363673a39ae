"""What is missing: named in strict templates, printed as nothing and told in those of OrKa 0.9."""

from __future__ import annotations

import pytest

from orka.errors import ConfigError, TemplateError
from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.graph.template import Templates
from orka.plugin.registry import Registry
from orka.spec.load import load
from orka.value import Json

OUTPUTS: dict[str, Json] = {"summary": "S", "data": {"score": 1}}
NAMES: dict[str, Json] = {
    "input": {"text": "secret words"},
    "previous_outputs": OUTPUTS,
    "outputs": OUTPUTS,
}


def rendered(text: str, dialect: str = "1") -> tuple[str, list[str]]:
    missing: list[str] = []
    template = Templates(dialect, tuple(OUTPUTS)).compile(text, "here")
    return template.render(NAMES, missing), missing


MISSING = [
    ("{{ previous_outputs.sumary }}", "previous_outputs.sumary"),
    ("{{ previous_outputs.sumary.response.x }}", "previous_outputs.sumary"),
    ("{{ previous_outputs.data.scor }}", "previous_outputs.data.scor"),
    ("{{ previous_outputs['data']['scor'].x }}", "previous_outputs['data']['scor']"),
    ("{{ input.txt | upper }}", "input.txt"),
    ("{{ input.txt | length }}", "input.txt"),
    ("{{ input.txt | tojson }}", "input.txt"),
    ("{{ 'a' ~ input.txt }}", "input.txt"),
    ("{{ 1 if input.txt == 2 else 3 }}", "input.txt"),
    ("{% set x = previous_outputs.data %}{{ x.scor }}", "x.scor"),
    ("{% for i in input.lst %}{% endfor %}", "input.lst"),
    ("{{ previous_outputs.summary.x }}", "previous_outputs.summary.x"),
    ("{{ previous_outputs.data[input.text] }}", "previous_outputs.data[input.text]"),
    ("{{ loop_number }}", "loop_number"),
    ("{{ get_agent_response('sumary') }}", "get_agent_response('sumary')"),
    ("{{ (previous_outputs.data).scor }}", "(previous_outputs.data).scor"),
]


@pytest.mark.parametrize(("text", "named"), MISSING)
def test_the_expression_that_is_missing_is_named(text: str, named: str) -> None:
    with pytest.raises(TemplateError) as raised:
        rendered(f"one\n\n{text}")
    assert f"{named} is missing (line 3 of the template)" in raised.value.what
    assert raised.value.code == "template.undefined"
    assert "secret" not in str(raised.value) and "__" not in str(raised.value)


@pytest.mark.parametrize(("text", "named"), MISSING)
def test_in_an_old_file_it_prints_nothing_and_is_told(text: str, named: str) -> None:
    _, missing = rendered(f"a  b\n\n{text}", "0.9")
    assert missing == [named]
    assert rendered("a  b\n {{ previous_outputs.x.y }}\n\nc ", "0.9")[0] == "a  b\n \n\nc "


def test_near_names_are_suggested() -> None:
    with pytest.raises(TemplateError) as raised:
        rendered("{{ previous_outputs.sumary }}")
    assert "did you mean 'summary'?" in raised.value.fix
    with pytest.raises(TemplateError) as raised:
        rendered("{{ previous_outputs.data.zzz }}")
    assert "known: score" in raised.value.fix


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ previous_outputs.x | default('D') }}", "D"),
        ("{{ previous_outputs.x.response | d('D') }}", "D"),
        ("{{ previous_outputs.x.a.b | default('D') | upper }}", "D"),
        ("{{ (previous_outputs.x.a | default(previous_outputs.y)) | default('D') }}", "D"),
        ("{{ previous_outputs.data.score | default(previous_outputs.x.y) }}", "1"),
        ("{{ '' | default('D', boolean=true) }}", "D"),
        ("{{ previous_outputs.x is defined }}", "False"),
        ("{{ previous_outputs.x.y.z is not defined }}", "True"),
        ("{{ previous_outputs.x.y if previous_outputs.x is defined else 'no' }}", "no"),
        ("{% if previous_outputs.x %}a{% else %}b{% endif %}", "b"),
        ("{% if previous_outputs.x.response %}a{% else %}b{% endif %}", "b"),
        ("{% if not previous_outputs.x %}b{% endif %}", "b"),
        ("{% if previous_outputs.x and previous_outputs.x.n > 1 %}a{% else %}b{% endif %}", "b"),
        ("{% if (previous_outputs.x or previous_outputs.data) %}a{% endif %}", "a"),
        ("{{ previous_outputs.x or previous_outputs.summary }}", "S"),
        ("{{ 'a' if previous_outputs.x else 'b' }}", "b"),
        ("{{ previous_outputs.x | safe_get('a.b', 'D') }}", "D"),
        ("{{ get_agent_response('x') or get_agent_response('summary') }}", "S"),
        ("{{ loop_number | default(1) }}", "1"),
        ("{% if loop_number %}a{% else %}b{% endif %}", "b"),
        ("{{ previous_outputs.data.get('x') or 'D' }}", "D"),
    ],
)
def test_what_may_be_missing_is_said_by_the_template(text: str, said: str) -> None:
    assert rendered(text) == (said, [])
    assert rendered(text, "0.9") == (said, [])


def test_a_missing_field_in_a_condition_is_an_error_only_where_it_is_strict() -> None:
    text = "{% if input.flag %}a{% else %}b{% endif %}"
    assert rendered(text, "0.9") == ("b", [])
    with pytest.raises(TemplateError, match=r"input\.flag"):
        rendered(text)


def test_names_that_nothing_has_print_nothing_in_an_old_file() -> None:
    template = Templates("0.9").compile("<{{ foo }}{{ foo.bar }}>", "here")
    assert template.unknown == ("foo",)
    missing: list[str] = []
    assert template.render(NAMES, missing) == "<>"
    assert missing == ["foo", "foo.bar"]
    with pytest.raises(TemplateError, match="'foo'"):
        Templates().compile("{{ foo }}", "here")


@pytest.mark.parametrize("dialect", ["1", "0.9"])
def test_what_has_no_answer_is_an_error_that_names_it(dialect: str) -> None:
    with pytest.raises(TemplateError, match=r"previous_outputs\.data\.x is missing"):
        rendered("{{ previous_outputs.data.x + 1 }}", dialect)
    with pytest.raises(TemplateError, match="unsupported types string and number") as raised:
        rendered("\n{{ input.text + 1 }}", dialect)
    assert "line 2" in raised.value.what
    assert "secret" not in str(raised.value)


def test_printf_is_refused_clearly() -> None:
    with pytest.raises(TemplateError) as raised:
        rendered("{{ '%s' % input.text }}")
    assert "format" in raised.value.fix


# ---- what is found before a run


def graph(prompt: str, version: str = "1") -> Graph:
    agent = {"type": "llm", "model": "m/x", "prompt": "hi"}
    flow = {
        "version": version,
        "orchestrator": {"id": "w", "strategy": "sequential", "agents": ["a", "b", "c"]},
        "agents": [{"id": "a", **agent}, {"id": "b", **agent}, {"id": "c", **agent}],
    }
    flow["agents"][1]["prompt"] = prompt  # type: ignore[index]  # a list of maps
    return compile(load(flow), Registry().agents)


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("{{ previous_outputs.c }}", "config.not_upstream"),
        ("{{ get_agent_response('c') }}", "config.not_upstream"),
        ("{{ get_loop_output('c').result }}", "config.not_upstream"),
        ("{% set x = previous_outputs['c'] %}", "config.not_upstream"),
        ("{{ previous_outputs.zz }}", "config.unknown_reference"),
        ("{{ previous_outputs.zz | default('') }}", "config.unknown_reference"),
        ("{{ safe_get_response('zz') }}", "config.unknown_reference"),
        ("{% if has_context('zz') %}{% endif %}", "config.unknown_reference"),
    ],
)
def test_a_reference_that_cannot_be_is_found_before_the_run(prompt: str, code: str) -> None:
    with pytest.raises(ConfigError) as raised:
        graph(prompt)
    assert raised.value.code == code
    assert "'b'" in raised.value.what
    (finding,) = graph(prompt, "0.9").findings
    assert finding.what == raised.value.what


@pytest.mark.parametrize(
    "prompt",
    [
        "{{ previous_outputs.a }}",
        "{{ previous_outputs.c | default('') }}",
        "{% if previous_outputs.c %}{{ previous_outputs.c.response }}{% endif %}",
        "{{ previous_outputs.c.x if previous_outputs.c is defined else '' }}",
        "{{ safe_get_response('c', 'none') }}",
        "{{ safe_get_response('c.path.to', 'none') }}",
        "{% if has_context('c') %}x{% endif %}",
        "{% raw %}{{ previous_outputs.zz }}{% endraw %}{# {{ previous_outputs.zz }} #}",
        "{{ 'previous_outputs.zz' }} previous_outputs.zz",
    ],
)
def test_a_guarded_reference_need_not_be_upstream(prompt: str) -> None:
    assert graph(prompt).findings == ()
    assert graph(prompt, "0.9").findings == ()
