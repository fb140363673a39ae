"""docs/language.md, Templates: every word is there, and what the examples print is what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from orka.graph.template import Templates
from orka.graph.vocabulary import FILTER_NAMES, FUNCTIONS, HELPERS, METHODS, NAMES, TESTS
from orka.run.names import Names

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Templates\n") : PAGE.index("## Conditions\n")]
(OUTPUTS,) = re.findall(r"^```json outputs\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
EXAMPLES = re.findall(r"^\| `(\{[{%].*)` \| `(.*)` \|$", SECTION, re.MULTILINE)


WORDS = sorted({*NAMES, *HELPERS, *FUNCTIONS, *FILTER_NAMES, *TESTS, *METHODS})


@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_templates_is_documented(word: str) -> None:
    assert re.search(rf"`{re.escape(word)}[`(]", SECTION), word


@pytest.mark.parametrize(("template", "said"), EXAMPLES)
def test_examples_print_what_the_page_says(template: str, said: str) -> None:
    outputs = json.loads(OUTPUTS)
    names = Names({"input": "", "previous_outputs": outputs, "outputs": outputs})
    compiled = Templates("1", tuple(outputs)).compile(template.replace("\\|", "|"), "the page")
    assert compiled.render(names) == said


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 5
