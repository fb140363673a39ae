"""What a policy says of a call, whatever the call says of itself."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from orka.graph.policy import Policy, policy_of
from orka.run.authority import ruled
from orka.spec.load import load
from orka.value import Json

REFUND = "issue_refund"


def policy(**written: Json) -> Policy:
    head = {"id": "w", "policy": written}
    found = policy_of(load({"orchestrator": head, "agents": [{"id": "a", "type": "b"}]}).policy)
    assert found is not None
    return found


def verdict(
    written: Policy | list[Policy],
    tool: str = REFUND,
    args: Json = None,
    input: Json = None,
    *,
    tainted: bool = False,
) -> tuple[str, str]:
    policies = written if isinstance(written, list) else [written]
    found = ruled(policies, tool, args or {}, input, tainted=tainted)
    assert found.reason
    return found.verdict, found.rule


def limited(listed: str = "ask", **limit: Json) -> Policy:
    return policy(**{listed: [REFUND], "limits": {REFUND: {"amount": limit}}})


def test_a_tool_is_ruled_by_the_list_it_stands_in() -> None:
    written = policy(allow=["draft"], ask=[REFUND], deny=["delete"])
    assert verdict(written, "draft") == ("auto", "allow")
    assert verdict(written, REFUND) == ("ask", "ask")
    assert verdict(written, "delete") == ("deny", "deny")
    assert verdict(written, "shell") == ("deny", "unlisted")
    assert verdict(written, "Draft") == ("deny", "unlisted")
    assert verdict(policy(), "draft") == ("deny", "unlisted")


@pytest.mark.parametrize("amount", [0, -0.0, 1, 199.99, 200, 200.0])
def test_a_number_within_the_limit_spares_the_question(amount: Json) -> None:
    assert verdict(limited(auto_max=200), args={"amount": amount})[0] == "auto"


ODD = [200.01, 10**400, -1, -0.01, "50", "", True, False, None, [50], {"n": 50}, "NaN", math.nan,
       math.inf, -math.inf]  # fmt: skip


@pytest.mark.parametrize("amount", ODD, ids=lambda value: str(type(value).__name__))
def test_anything_else_does_not(amount: Json) -> None:
    for listed in ("ask", "allow"):
        assert verdict(limited(listed, auto_max=200), args={"amount": amount})[0] == "ask"


def test_a_missing_argument_or_one_of_another_name_does_not() -> None:
    for args in ({}, {"Amount": 5}, {"amount ": 5}, {"amount": {"amount": 5}}):
        assert verdict(limited(auto_max=200), args=args)[0] == "ask"


def test_every_limited_argument_counts() -> None:
    limits = {REFUND: {"amount": {"auto_max": 200}, "fee": {"auto_max": 5}}}
    written = policy(ask=[REFUND], limits=limits)
    assert verdict(written, args={"amount": 10, "fee": 5})[0] == "auto"
    assert verdict(written, args={"amount": 10, "fee": 6})[0] == "ask"
    assert verdict(written, args={"amount": 10})[0] == "ask"


def test_above_the_maximum_nobody_can_help() -> None:
    written = limited(auto_max=200, max=5000)
    rule = f"limits.{REFUND}.amount.max"
    assert verdict(written, args={"amount": 5000})[0] == "ask"
    for amount in (5000.01, 10**400, "5001", " 6e3 ", "inf"):
        assert verdict(written, args={"amount": amount}) == ("deny", rule)
    assert verdict(limited("allow", max=10), args={"amount": 11}) == ("deny", rule)
    assert verdict(limited("allow", max=10), args={"amount": 9})[0] == "auto"


UNREADABLE: list[Json] = ["5,000", "5 000", "5000 EUR", "0x1388", "nan", "five", [5000], {"n": 1}]


@pytest.mark.parametrize("amount", UNREADABLE, ids=str)
@pytest.mark.parametrize("limit", [{"max": 5000}, {"max_by": "most"}], ids=["max", "max_by"])
def test_what_cannot_be_compared_with_the_maximum_is_above_it(
    amount: Json, limit: Mapping[str, Json]
) -> None:
    for listed in ("ask", "allow"):
        written = limited(listed, **limit)
        rule = f"limits.{REFUND}.amount.{next(iter(limit))}"
        found = verdict(written, args={"amount": amount}, input={"most": 5000})
        assert found == ("deny", rule)


def test_what_a_maximum_knows_nothing_of_is_asked_about() -> None:
    """The tool may have a default that is above it."""
    written = limited("allow", max=10)
    calls: list[Mapping[str, Json]] = [{}, {"amount": None}, {"amount": -1}, {"amount": True}]
    for args in calls:
        assert verdict(written, args=args) == ("ask", f"limits.{REFUND}.amount")


def test_the_input_may_say_the_maximum() -> None:
    written = limited(auto_max=50, max_by="context.entitlements.most")
    rule = f"limits.{REFUND}.amount.max_by"

    def given(most: Json) -> Json:
        return {"context": {"entitlements": {"most": most}}}

    assert verdict(written, args={"amount": 40}, input=given(100))[0] == "auto"
    assert verdict(written, args={"amount": 90}, input=given(100))[0] == "ask"
    assert verdict(written, args={"amount": 101}, input=given(100)) == ("deny", rule)
    unknowns: list[Json] = [given(None), given("100"), given(True), given(-1), {}, None, "x", [1]]
    for unknown in unknowns:
        assert verdict(written, args={"amount": 1}, input=unknown) == ("deny", rule)


def test_the_input_says_what_is_allowed_and_blocked_wins() -> None:
    written = policy(
        allow=[REFUND, "search"],
        actions={REFUND: "refund"},
        allowed_by="permissions.allowed",
        blocked_by="permissions.blocked",
    )

    def given(allowed: Json, blocked: Json) -> Json:
        return {"permissions": {"allowed": allowed, "blocked": blocked}}

    assert verdict(written, input=given(["refund"], []))[0] == "auto"
    assert verdict(written, "search", input=given(["search"], []))[0] == "auto"
    assert verdict(written, input=given([REFUND], [])) == ("deny", "allowed_by")
    assert verdict(written, input=given(["refund"], ["refund"])) == ("deny", "blocked_by")
    assert verdict(written, input=given(["refund"], [" REFUND "])) == ("deny", "blocked_by")
    for same in ("re fund", "ＲＥＦＵＮＤ", "re\u200bfund", "refund\u00a0"):
        assert verdict(written, input=given(["refund"], [same])) == ("deny", "blocked_by")
        assert verdict(written, input=given([same], [])) == ("deny", "allowed_by")
    unknowns: list[Json] = [None, "refund", {"refund": True}, [["refund"]], ["refund", 1]]
    for unknown in unknowns:
        assert verdict(written, input=given(unknown, [])) == ("deny", "allowed_by")
        assert verdict(written, input=given(["refund"], unknown)) == ("deny", "blocked_by")
    nowhere: list[Json] = [None, {}, {"permissions": []}, {"permissions.allowed": ["refund"]}]
    for missing in nowhere:
        assert verdict(written, input=missing)[0] == "deny"


def test_a_limit_may_hold_for_a_field_of_an_argument() -> None:
    bounds: Json = {REFUND: {"payment.amount": {"auto_max": 200, "max": 500}}}
    written = policy(ask=[REFUND], limits=bounds)
    rule = f"limits.{REFUND}.payment.amount"
    for amount, found in [
        (100, ("auto", f"limits.{REFUND}")),
        (300, ("ask", f"{rule}.auto_max")),
        (900, ("deny", f"{rule}.max")),
        ("x", ("deny", f"{rule}.max")),
        (None, ("ask", f"{rule}.auto_max")),
    ]:
        assert verdict(written, args={"payment": {"amount": amount}}) == found, amount
    assert verdict(written, args={"payment.amount": 900})[0] == "deny"
    nowhere: list[Json] = [None, 5, [], {}]
    for payment in nowhere:
        assert verdict(written, args={"payment": payment})[0] == "ask"


def test_an_exempt_tool_need_not_be_allowed_by_the_input_but_can_be_blocked() -> None:
    written = policy(
        allow=["search", "draft"], exempt=["search"], allowed_by="allowed", blocked_by="blocked"
    )
    blocked: list[Json] = [[], None, "search"]
    for each in blocked:
        assert verdict(written, "search", input={"blocked": each}) == ("auto", "allow")
    assert verdict(written, "search", input={"blocked": ["Search"]}) == ("deny", "blocked_by")
    assert verdict(written, "draft", input={"blocked": []}) == ("deny", "allowed_by")


def test_a_tainted_run_asks_unless_the_tool_is_named() -> None:
    written = policy(allow=["search", "draft"], deny=["delete"], when_tainted=["search"])
    assert verdict(written, "search", tainted=True)[0] == "auto"
    assert verdict(written, "draft", tainted=True) == ("ask", "when_tainted")
    assert verdict(written, "delete", tainted=True)[0] == "deny"
    bounded = limited(auto_max=200)
    assert verdict(bounded, args={"amount": 5}, tainted=True) == ("ask", "when_tainted")


def test_the_strictest_of_several_policies_decides() -> None:
    allow, ask, deny = policy(allow=[REFUND]), policy(ask=[REFUND]), policy(deny=[REFUND])
    assert verdict([allow, ask])[0] == verdict([ask, allow])[0] == "ask"
    assert verdict([allow, deny, ask])[0] == "deny"
    assert verdict([allow, policy(allow=["other"])]) == ("deny", "unlisted")


def test_who_may_answer_may_do_so_under_all_of_them() -> None:
    one = policy(ask=[REFUND], approvers=["ada", "bob"], approval_timeout=60)
    two = policy(ask=[REFUND], approvers=["bob", "cy"], approval_timeout=30)
    found = ruled([one, two, policy(ask=[REFUND])], REFUND, {}, None, tainted=False)
    assert (found.approvers, found.timeout) == (("bob",), 30)
    nobody = [one, policy(ask=[REFUND], approvers=["cy"])]
    assert verdict(nobody) == ("deny", "approvers")
