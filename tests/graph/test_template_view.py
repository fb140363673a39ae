"""Outputs have one typed view in templates: `.response`, `.result` and fields, native values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.errors import TemplateError
from orka.graph.template import Templates
from orka.value import Json

OUTPUTS: dict[str, Json] = {
    "plan": "yes",
    "answer": {"response": "R", "score": 0.9},
    "held": {"result": {"score": 3, "deep": {"list": [1, {"k": "v"}]}}},
    "sure": {"response": True, "confidence": 0.8},
    "kb-search": "K1",
    "kb-2": "K2",
    "whole": 1.0,
    "many": [1, 2, 3],
    "null": None,
}
NAMES: dict[str, Json] = {
    "input": {"items": ["a", "b"], "result": {"hidden": 1}, "text": "x"},
    "previous_outputs": OUTPUTS,
    "outputs": OUTPUTS,
    "params": {},
    "run_id": "r",
    "node_id": "n",
}


def rendered(text: str, dialect: str = "1") -> str:
    return Templates(dialect, tuple(OUTPUTS)).compile(text, "here").render(NAMES)


@pytest.mark.parametrize(
    "accessor",
    [
        "",
        ".response",
        ".result",
        ".result.response",
        "['response']",
        ".get('response')",
        ".get('response', 'no')",
        "\n  .response",
    ],
)
@pytest.mark.parametrize("dialect", ["1", "0.9"])
def test_an_output_is_the_same_under_all_its_names(accessor: str, dialect: str) -> None:
    said = "{{ previous_outputs.plan" + accessor + " }}"
    assert rendered(said, dialect) == "yes"
    equal = "{{ previous_outputs.plan" + accessor + " == 'yes' }}"
    assert rendered(equal, dialect) == "True"
    bound = "{% set p = previous_outputs.plan %}{{ p" + accessor + " | upper }}"
    assert rendered(bound, dialect) == "YES"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ previous_outputs.answer.response }} {{ previous_outputs.answer.score }}", "R 0.9"),
        ("{{ previous_outputs.answer.result.score * 2 }}", "1.8"),
        ("{{ previous_outputs.held.score + 1 }}", "4"),
        ("{{ previous_outputs.held.response.score }}", "3"),
        ("{{ previous_outputs.held.deep.list[1].k }}", "v"),
        ("{{ previous_outputs.held.deep.list[-1]['k'].upper() }}", "V"),
        ("{{ previous_outputs.many.1 }} {{ previous_outputs.many[1:] }}", "2 [2, 3]"),
        ("{{ previous_outputs.sure.response }} {{ previous_outputs.whole }}", "True 1.0"),
        ("{{ 'go' if previous_outputs.sure.response else 'stop' }}", "go"),
        ("{{ previous_outputs.answer.get('none', 'D') }}", "D"),
        ("{{ previous_outputs.plan.get('none', 'D') }}", "D"),
        (
            "{% for k, v in previous_outputs.held.items() %}{{ k }} {{ v.score }}{% endfor %}",
            "result 3",
        ),
        ("{{ 'score' in previous_outputs.answer }} {{ previous_outputs.many | length }}", "True 3"),
        ("{{ previous_outputs['answer']['sco' ~ 're'] }}", "0.9"),
        ("{{ get_agent_response('answer') }} {{ get_agent_response('sure') == 'true' }}", "R True"),
        ("{{ get_agent_response('many') }}", "[1,2,3]"),
        ("{{ previous_outputs.kb-search }} {{ previous_outputs.kb-2.response }}", "K1 K2"),
        ("{{ previous_outputs.whole - 1 }}", "0.0"),
        ("{{ previous_outputs.null }}", "None"),
        ("{% set loop = previous_outputs.answer %}{{ loop.score }}", "0.9"),
        ("{% for i in previous_outputs.many %}{{ loop.index }}{% endfor %}", "123"),
        ("{% macro m(x) %}<{{ x.score }}>{% endmacro %}{{ m(previous_outputs.held) }}", "<3>"),
        ("{{ {'a': previous_outputs.held.score} }}", '{"a": 3}'),
        ("{% set n = namespace(v=0) %}{% set n.v = 2 %}{{ n.v }}", "2"),
    ],
)
def test_fields_are_found_and_values_are_native(text: str, said: str) -> None:
    assert rendered(text) == said
    assert rendered(text, "0.9") == said


def test_a_key_wins_over_a_method_of_the_same_name() -> None:
    for text in (
        "{% for i in input.items %}[{{ i }}]{% endfor %}",
        "[{{ input.items | join('][') }}]",
    ):
        assert rendered(text) == "[a][b]"


@pytest.mark.parametrize("text", ["{{ input.response }}", "{{ input.hidden }}"])
def test_the_input_is_plain(text: str) -> None:
    with pytest.raises(TemplateError, match="is missing"):
        rendered(text)
    with pytest.raises(TemplateError, match="is missing"):
        rendered("{% set i = input %}" + text.replace("input", "i"))


def test_single_expressions_keep_their_exact_type() -> None:
    def value(text: str) -> Json:
        return Templates("1", tuple(OUTPUTS)).compile(text, "here").value(NAMES)

    assert value("{{ previous_outputs.whole }}") == 1.0
    assert type(value(" {{ previous_outputs.whole }} ")) is float
    assert value("{{ previous_outputs.held.response.deep }}") == {"list": [1, {"k": "v"}]}
    assert value("{{ previous_outputs.many | first }}") == 1
    assert value("{{ previous_outputs.null }}") is None
    assert value("{{ get_agent_response('plan') }}") == "yes"


def test_a_number_behind_an_id_with_a_hyphen_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TemplateError, match="subtraction"):
        rendered("{{ previous_outputs.whole-1 }}")


def test_ids_may_have_hyphens_and_dots() -> None:
    outputs: dict[str, Json] = {"a": {"b": "field"}, "a.b": "A", "v.1-x": "V", "q-2": {"z": "Q"}}
    names: dict[str, Json] = {"previous_outputs": outputs}
    text = (
        "{{ previous_outputs.a.b }} {{ previous_outputs['a.b'] }} {{ previous_outputs.v.1-x }} "
        "{{ previous_outputs.q-2.z }} {{ previous_outputs.v.1-x.response | lower }}"
    )
    for dialect in ("1", "0.9"):
        assert Templates(dialect, tuple(outputs)).compile(text, "here").render(names) == (
            "field A V Q v"
        )


@given(
    st.lists(
        st.sampled_from(
            [
                "{{ input }}",
                "{{input.text}}",
                "{{ previous_outputs.answer.score }}",
                "{{ previous_outputs.plan.response }}",
                "{{ previous_outputs.held.deep.list }}",
                "{{ previous_outputs.gone.x }}",
                "{{ params }}",
                "{ a }",
                "\n",
                " }} ",
            ]
        )
    )
)
@pytest.mark.parametrize("dialect", ["1", "0.9"])
def test_simple_templates_print_what_the_engine_prints(dialect: str, parts: list[str]) -> None:
    text = "".join(parts)
    outcomes = []
    for prompt in (text, text + "{# #}", "{% if true %}" + text + "{% endif %}"):
        try:
            outcomes.append(rendered(prompt, dialect))
        except TemplateError as error:
            outcomes.append(str(error))
    assert len(set(outcomes)) == 1, outcomes


def test_inside_a_loop_of_an_old_file_input_holds_the_loops_data() -> None:
    names = {**NAMES, "input": "hello", "loop_number": 2, "past_loops": [{"score": 0.5}]}
    text = (
        "{{ input }} {{ input.input }} {{ input.loop_number }} {{ input.past_loops[0].score }} "
        "{{ input.previous_outputs.plan.response }}"
    )
    assert Templates("0.9").compile(text, "here").render(names) == "hello hello 2 0.5 yes"
    own = {**names, "input": {"input": "mine"}}
    assert Templates("0.9").compile("{{ input.input }}", "here").render(own) == "mine"
