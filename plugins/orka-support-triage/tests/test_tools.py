"""What the tools find, and what they do: once for each key."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from orka_support_triage.desk import done
from orka_support_triage.knowledge import articles, search
from orka_support_triage.tools.account_lookup import account_lookup
from orka_support_triage.tools.close_ticket import close_ticket
from orka_support_triage.tools.issue_refund import issue_refund
from orka_support_triage.tools.kb_search import kb_search
from orka_support_triage.tools.set_priority import set_priority
from triage import home

from orka.errors import ToolError


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("the reset email never arrives", "password-reset-email"),
        ("refund policy EU pro plan", "refund-eu-consumers"),
        ("charged twice", "duplicate-charge"),
        ("API answers 429", "api-limits"),
        ("saml certificate error", "sso-errors"),
        ("export everything as CSV", "export-data"),
        ("Wann bekomme ich die Rückzahlung?", "erstattung"),
        ("Ruckzahlung", "erstattung"),
        ("mon compte est bloqué", "compte-bloque"),
    ],
)
def test_the_article_that_answers_comes_first(query: str, first: str) -> None:
    assert search(query)[0].id == first


@pytest.mark.parametrize("query", ["", "the of and", '" OR NEAR(', "*", "🙂", "zzzqqq"])
def test_a_query_that_asks_nothing_finds_nothing(query: str) -> None:
    assert search(query) == []


def test_an_operator_of_the_index_is_a_word_like_any_other() -> None:
    assert search('refund" AND title:x NOT "policy')[0].id.startswith("refund")


def test_there_are_articles_enough_each_with_a_title_and_a_text() -> None:
    assert len(articles()) >= 25
    assert all(each.title and each.tags and len(each.text) > 80 for each in articles())


def test_a_search_is_a_tool_result_and_the_same_each_time() -> None:
    first = kb_search.call({"query": "refund", "limit": 2}, "k")
    assert first == kb_search.call({"query": "refund", "limit": 2}, "other")
    assert isinstance(first, dict) and len(first["items"]) == 2 and first["trust"] == "trusted"


def test_the_index_is_made_once_however_many_ask_first() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: search("refund")[0].id, range(16)))
    assert len(set(found)) == 1
    assert [each.name for each in home().iterdir() if each.suffix == ".tmp"] == []


def test_an_account_is_looked_up_and_one_that_is_not_there_is_an_error() -> None:
    found: Any = account_lookup.call({"customer_id": "cust_908"}, "k")
    assert found["items"][0]["id"] == "cust_908" and "plan: pro" in found["items"][0]["snippet"]
    with pytest.raises(ToolError, match="cust_0") as caught:
        account_lookup.call({"customer_id": "cust_0"}, "k")
    assert caught.value.code == "triage.no_account" and not caught.value.retryable


def test_an_action_is_done_once_for_each_key() -> None:
    args = {"ticket_id": "T-1", "amount": 12.5}
    first = issue_refund.call(args, "run/act#1")
    assert first == issue_refund.call(args, "run/act#1")
    close_ticket.call({"ticket_id": "T-1"}, "run/act#2")
    assert [each["action"] for each in done()] == ["issue_refund", "close_ticket"]
    assert done()[0]["args"] == {"amount": 12.5, "reason": ""}


def test_many_writers_lose_nothing() -> None:
    def act(number: int) -> object:
        return close_ticket.call({"ticket_id": f"T-{number}"}, f"k{number % 20}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(act, range(40)))
    assert len(done()) == 20


def test_arguments_that_do_not_fit_are_refused_before_anything_happens() -> None:
    with pytest.raises(ToolError):
        set_priority.call({"ticket_id": "T-1", "priority": "whenever"}, "k")
    with pytest.raises(ToolError):
        issue_refund.call({"ticket_id": "T-1", "amount": "much"}, "k")
    assert done() == []
