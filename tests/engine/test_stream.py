"""Text that streams is looked at before anybody sees it, and comes out as if seen as a whole."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import orka
from engine.guarding import ASKS, EVE, GUARDS, MAIL, Bans, Mail, MailOptions, Orders, flow
from orka.engine.look import Look
from orka.engine.stream import StreamScreen
from orka.engine.window import WIDTH
from orka.errors import ScreenError
from orka.event.event import Event
from orka.graph.guards import Filter
from orka.kit.guards.verify.guard import VerifyGuard, VerifyOptions
from orka.port.guard import Finding, Screened, masked, redacted
from orka.port.placeholders import Placeholders
from orka.testing.scripted import Reply, ScriptedModel, scripted

MAILS = Filter("mail", Mail(MailOptions()))
KEEPS = Filter("mail", Mail(MailOptions()), reversible=True)


class Words:
    """Finds what goes over several words, may grow, or is known by what stands before it."""

    reach = 30
    _found = re.compile(r"(?<=code )\d{4}\b|\b\d{1,3} Main (?:Street|Road)\b|\b1 May(?: 1980)?\b")

    def screen(self, text: str, /) -> Screened:
        found = tuple(
            Finding(kind="IT", start=each.start(), end=each.end())
            for each in self._found.finditer(text)
        )
        if not found:
            return Screened(text=text)
        return Screened(text=masked(text, found, redacted), verdict="changed", findings=found)


SPANS = Filter("words", Words())
SPOKEN = st.sampled_from(
    [
        "12 Main Street",
        "7 Main",
        "Road",
        "code 1234",
        "1234",
        "1 May",
        "1 May 1980",
        "1980",
        "and",
        "x",
    ]
)
WORDS = st.sampled_from(
    [MAIL, EVE, "hello", "a@b", "@", "x" * 30, "(", "bob@exam", "ple.com", "é", "\n", "forbid"]
)
TEXTS = st.lists(WORDS, max_size=40).map(" ".join)


def pieces_of(text: str, sizes: list[int]) -> list[str]:
    found, at = [], 0
    for size in sizes:
        found.append(text[at : at + size])
        at += size
    return [*found, text[at:]]


def streamed(screen: StreamScreen, pieces: list[str]) -> list[str]:
    return [*(screen.feed(piece) for piece in pieces), screen.close()]


@given(TEXTS, st.lists(st.integers(0, 60), max_size=60))
def test_any_split_gives_what_the_whole_gives(text: str, sizes: list[int]) -> None:
    whole = Look([MAILS], None).text(text)
    given = streamed(StreamScreen([MAILS]), pieces_of(text, sizes))
    assert "".join(given) == whole
    for at in range(len(given)):
        assert not re.search(r"[\w.]+@example\.", "".join(given[: at + 1]))


WRITTEN = [MAIL.replace("@", each) for each in ("\\u0040", "\\\\u0040", "&#64;", "%40", "@")]


@given(
    st.lists(st.sampled_from([*WRITTEN, "\\u0040", "\\u00", "hello", "&", "a%4"]), max_size=30),
    st.lists(st.integers(0, 60), max_size=60),
)
def test_escapes_are_found_in_any_split(words: list[str], sizes: list[int]) -> None:
    text = " ".join(words)
    given = streamed(StreamScreen([MAILS]), pieces_of(text, sizes))
    assert "".join(given) == Look([MAILS], None).text(text)
    assert "example" not in "".join(given)


@settings(max_examples=300)
@given(st.lists(SPOKEN, max_size=60).map(" ".join), st.lists(st.integers(1, 9), max_size=200))
def test_what_goes_over_several_words_is_found_in_any_split(text: str, sizes: list[int]) -> None:
    given = streamed(StreamScreen([SPANS]), pieces_of(text, sizes))
    assert "".join(given) == Look([SPANS], None).text(text)


@pytest.mark.parametrize("shift", range(0, 60, 3))
def test_what_stands_where_windows_meet_is_found(shift: int) -> None:
    filler = "and " * (WIDTH // 4 - 15)
    text = f"{filler}{'x' * shift} code 1234 1 May 1980 12 Main Street 1 May {filler}"
    expected = Words().screen(text).text
    assert Look([SPANS], None).text(text) == expected
    assert expected.count("[IT_REDACTED]") == 4


KEY = "-----BEGIN PRIVATE KEY-----\n" + ("q" * 64 + "\n") * 30 + "-----END PRIVATE KEY-----"


@pytest.mark.parametrize("size", [7, 100, 3_000])
@pytest.mark.parametrize("before", [0, WIDTH // 5])
def test_a_finding_longer_than_the_reach_is_found_whole(size: int, before: int) -> None:
    by = Filter("verify", VerifyGuard(VerifyOptions(action="mask")))
    text = f"{'word ' * before}the key is\n{KEY}\nKeep it well. {'word ' * 400}"
    expected = text.replace(KEY, "[SECRET_REDACTED]")
    assert Look([by], None).text(text) == expected
    sizes = [size] * (len(text) // size)
    assert "".join(streamed(StreamScreen([by]), pieces_of(text, sizes))) == expected


@given(TEXTS, st.lists(st.integers(1, 60), max_size=40))
def test_placeholders_are_numbered_as_in_the_whole(text: str, sizes: list[int]) -> None:
    whole, parts = Placeholders(), Placeholders()
    given = streamed(StreamScreen([KEEPS], parts), pieces_of(text, sizes))
    assert "".join(given) == Look([KEEPS], whole).text(text)
    assert parts.values == whole.values


@given(st.integers(0, 3 * WIDTH), st.sampled_from([0, 1, 5, 39]))
def test_a_long_text_is_looked_at_as_a_whole_would_be(place: int, shift: int) -> None:
    filler = ("word " * (3 * WIDTH // 5 + 9))[: 3 * WIDTH + shift]
    text = f"{filler[:place]} {MAIL} {filler[place:]}"
    assert Look([MAILS], None).text(text) == text.replace(MAIL, "[EMAIL_REDACTED]")


def test_a_text_without_spaces_goes_on_too() -> None:
    given = streamed(StreamScreen([MAILS]), ["x"] * 2_000)
    assert "".join(given) == "x" * 2_000
    held = max(at - len("".join(given[: at + 1])) for at in range(len(given) - 1))
    assert held < 400


def test_guards_look_one_after_another_and_what_may_not_pass_ends_the_stream() -> None:
    screen = StreamScreen([MAILS, Filter("orders", Orders()), Filter("bans", Bans())])
    seen = [screen.feed(f"{MAIL} says so. "), screen.feed("and on and on. " * 20)]
    with pytest.raises(ScreenError) as caught:
        screen.feed("it is forbidden. " * 20)
    assert caught.value.code == "screen.blocked"
    assert screen.feed("more") == screen.close() == ""
    assert "".join(seen).startswith("[EMAIL_REDACTED] says so.")
    assert "forbidden" not in "".join(seen)


class Watching:
    def __init__(self) -> None:
        self.pieces: list[str] = []

    def event(self, run: str, seq: int, event: Event) -> None:
        """Events are not looked at here."""

    def text(self, run: str, effect: str, piece: str) -> None:
        self.pieces.append(piece)


def watched(text: str, model: ScriptedModel) -> tuple[orka.Run, str]:
    watching = Watching()

    async def go() -> orka.Run:
        async with orka.Runtime(
            store=":memory:", use=GUARDS, models={"scripted": model}, watchers=[watching]
        ) as room:
            return await room.run(text, {"mail": "x"})

    return asyncio.run(go()), "".join(watching.pieces)


PIECES = ("Write to bob", "@exam", "ple.com and to ", "eve@", "example.org", " now.")


def test_watchers_see_what_the_trace_keeps() -> None:
    done, seen = watched(flow("[mail]", ASKS), scripted({"say": [Reply(stream=PIECES)]}))
    assert seen == done.output == "Write to [EMAIL_REDACTED] and to [EMAIL_REDACTED] now."
    keeps = "[{use: mail, reversible: true}]"
    done, seen = watched(flow(keeps, ASKS), scripted({"say": [Reply(stream=PIECES)]}))
    assert seen == done.output == "Write to [EMAIL_1] and to [EMAIL_2] now."


def test_without_guards_pieces_come_as_they_are() -> None:
    done, seen = watched(flow("[]", ASKS), scripted({"say": [Reply(stream=PIECES)]}))
    assert seen == done.output == "".join(PIECES)


@pytest.mark.parametrize("on", ["models", "output"])
def test_a_stream_that_may_not_pass_fails_the_one_who_speaks(on: str) -> None:
    pieces = ("all is well. " * 10, "this is forbidden. ", "and on. " * 10)
    guards = f"[{{use: bans, on: {on}}}]"
    done, seen = watched(flow(guards, ASKS), scripted({"say": [Reply(stream=pieces)]}))
    assert done.failure is not None and done.failure.code == "screen.blocked"
    assert seen.startswith("all is well.") and "forbidden" not in seen


def test_the_output_guard_does_not_listen_to_those_who_only_think() -> None:
    agents = ASKS + ASKS.replace("say", "tell")
    model = scripted({"say": [Reply(stream=("forbidden ",))], "tell": [Reply(stream=("fine",))]})
    done, seen = watched(flow("[{use: bans, on: output}]", agents), model)
    assert done.status == "completed" and seen == "forbidden fine"
