"""`.get` in a row: each step has its own default."""

from __future__ import annotations

import pytest

from orka.errors import TemplateError
from orka.graph.template import Templates
from orka.value import Json

OUTPUTS: Json = {"a": "r", "m": {"x": {"y": 1}, "response": {"q": 2}}, "empty": {}}


@pytest.mark.parametrize("dialect", ["1", "0.9"])
@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("previous_outputs.get('a', {}).get('response', {}).get('q', 'Q')", "Q"),
        ("previous_outputs.get('m', {}).get('response', {}).get('q', 'Q')", "2"),
        ("previous_outputs.get('m', {}).get('x', {}).get('y', 'D')", "1"),
        ("previous_outputs.get('m', {}).get('x', {}).get('z', 'D')", "D"),
        ("previous_outputs.get('zz', {}).get('response', 'D')", "D"),
        ("previous_outputs.get('empty', {}).get('response', 'D')", "D"),
        ("previous_outputs.get('a', {}).get('response', 'D')", "r"),
        ("input.get('x', {}).get('y', 'D')", "D"),
    ],
)
def test_each_step_has_its_own_default(dialect: str, template: str, said: str) -> None:
    made = Templates(dialect, ("a", "m", "zz", "empty")).compile(f"{{{{ {template} }}}}", "w")
    names = {"input": {"q": 1}, "previous_outputs": OUTPUTS, "outputs": OUTPUTS}
    assert made.render(names) == said


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ previous_outputs.n.score | default(0) }}", "0"),
        ("{{ previous_outputs.n.nope | default(0) }}", "0"),
        ("{{ previous_outputs.n.none.deep | d('x') }}", "x"),
        ("{{ previous_outputs.n.zero | default(7) }}", "0"),
        ("{{ previous_outputs.n.zero | default(7, true) }}", "7"),
    ],
)
def test_null_takes_the_default_in_old_files(template: str, said: str) -> None:
    outputs: Json = {"n": {"score": None, "zero": 0}}
    made = Templates("0.9", ("n",)).compile(template, "w")
    assert made.render({"input": "", "previous_outputs": outputs, "outputs": outputs}) == said


@pytest.mark.parametrize("dialect", ["1", "0.9"])
def test_joined_maps_are_json(dialect: str) -> None:
    outputs: Json = {"m": [{"b": 1, "a": "x"}, ["y", None], "z", 3]}
    made = Templates(dialect, ("m",)).compile("{{ previous_outputs.m | join('; ') }}", "w")
    said = made.render({"input": "", "previous_outputs": outputs, "outputs": outputs})
    assert said == '{"a": "x", "b": 1}; ["y", null]; z; 3'
    made = Templates(dialect, ("m",)).compile("{{ input | join(', ', attribute='a') }}", "w")
    given = {"input": [{"a": 1}, {"a": 2}], "previous_outputs": {}, "outputs": {}}
    assert made.render(given) == "1, 2"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ input.yes | bool }} {{ input.no | bool }}", "True False"),
        ("{{ 0 | bool }} {{ 1 | bool }}", "False True"),
        ("{{ '[1, null]' | from_json }}", "[1, null]"),
    ],
)  # fmt: skip
def test_what_a_text_says_is_read(template: str, said: str) -> None:
    given = {"input": {"yes": "Yes", "no": "false"}, "previous_outputs": {}, "outputs": {}}
    assert Templates().compile(template, "w").render(given) == said


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{{ 'maybe' | bool }}", "neither true nor false"),
        ("{{ [] | bool }}", "neither true nor false"),
        ("{{ '[NaN]' | from_json }}", "not JSON"),
        ("{{ input | from_json }}", "not JSON"),
    ],
)
def test_what_says_nothing_is_refused(template: str, told: str) -> None:
    given = {"input": '{"a": 1, "a": 2}', "previous_outputs": {}, "outputs": {}}
    with pytest.raises(TemplateError, match=told):
        Templates().compile(template, "w").render(given)
