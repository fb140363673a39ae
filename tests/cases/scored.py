"""What a case of `score_paths` says of a decision: one function for each of its keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from cases.checks import CHECKS
from cases.faults import KINDS, code, must_name, told
from cases.language import Fields, NotUnderstood, listed
from cases.observed import Observed, same
from cases.scores import Asked
from cases.scouts import Scouting, scouted
from orka.score.factor import Abstained, Known, exact
from orka.score.ledger import Ledger
from orka.score.scorer import PathScorer, Scored
from orka.value import Json, canonical

_CONFIG = ("config.", "score.")
_NO_PATH = ("scout.no_path",)
# Kinds of errors that only a decision has.
_KINDS: dict[str, tuple[str, ...]] = {
    "config": _CONFIG,
    "weights": _CONFIG,
    "value": _CONFIG,
    "input": ("score.candidates",),
    "duplicate": ("score.candidates",),
    "unknown_agent": ("config.unknown_agent", "path.unknown_agent"),
    "no_path": _NO_PATH,
    "no_candidates": _NO_PATH,
    "budget": _NO_PATH,
    "path": ("path.", "scout."),
    "missing": ("scout.stopped",),
    "stopped": ("scout.stopped",),
}
_COMMITS = ("commit_next", "commit_path")
# A word of a case for a decision -> whether a decision, of a status, is one.
_MEANINGS: dict[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(
        ("none", "no_path", "no_candidates", "fallback", "nothing"), lambda d, s: d == "fallback"
    ),
    **dict.fromkeys(("commit", "committed", "decided", "select"), lambda d, s: d in _COMMITS),
    **dict.fromkeys(
        ("shortlist", "undecided", "too_close", "tie", "no_commit", "defer"),
        lambda d, s: d in ("shortlist", "human_gate"),
    ),
    **dict.fromkeys(("ask", "human", "human_gate", "escalate"), lambda d, s: d == "human_gate"),
    **dict.fromkeys(
        ("all_excluded", "budget_exceeded", "excluded"), lambda d, s: s == "all_excluded"
    ),
    **dict.fromkeys(("stop", "stopped", "refused"), lambda d, s: s == "stopped"),
    **{name: (lambda d, s, name=name: d == name) for name in _COMMITS},  # type: ignore[misc]
}


class Seen(msgspec.Struct, kw_only=True):
    """What came of one question: a decision, or an error; and the run, if it was one. `names` are
    the case's names of paths. `refused` plays the scout if nothing else could say why not."""

    question: Asked
    scout: Scouting
    folder: Path
    ledger: Ledger | None = None
    observed: Observed = msgspec.field(default_factory=Observed)
    names: dict[str, str] = msgspec.field(default_factory=dict)
    again: list[bytes] = msgspec.field(default_factory=list)
    tolerance: float = 1e-9

    @property
    def made(self) -> Ledger:
        assert self.ledger is not None, f"no decision was made: {self.observed.error}"
        return self.ledger

    def name(self, id: str) -> str:
        return self.names.get(id, id)

    @property
    def ranked(self) -> tuple[Scored, ...]:
        return PathScorer(self.made.setting).score(self.made.candidates).ranked

    @property
    def failed(self) -> bool:
        return self.observed.error is not None or (
            self.observed.run is not None and self.observed.status == "failed"
        )

    def refused(self) -> Observed:
        """The failure. Who has nothing to choose from is told so by the scout."""
        if not self.failed and self.observed.run is None and self.ledger is not None:
            here = self.folder / "refused"
            here.mkdir()
            return scouted(self.question, self.scout, here)[0]
        return self.observed

    def whole(self) -> bytes:
        """What must be the same each time."""
        run = self.observed.run
        ran = [self.observed.executed, run.output] if run is not None else []
        error = str(self.observed.error or "")
        return canonical([self.ledger.json() if self.ledger else None, ran, error])


def holds(found: Seen, expected: Mapping[str, Json], where: str) -> None:
    found.tolerance = float(expected.get("tolerance", found.tolerance))
    found.observed.tolerance = found.tolerance
    if expected.get("accept_error") and found.failed:
        return
    with Fields(expected, where) as fields:
        for key, value in fields.rest():
            _check(key, where)(found, value)


def _check(key: str, where: str) -> Callable[[Seen, Json], None]:
    if key in SAID:
        return SAID[key]
    if key not in CHECKS:
        raise NotUnderstood(f"{where} has a key nobody reads: {key!r}")
    return lambda found, value: CHECKS[key](found.observed, value)


# ---- what a case says


def _selected(found: Seen, wanted: Json) -> None:
    """Who was chosen; of a shortlist, who is first. Nobody, if nothing was committed to."""
    outcome = found.made.outcome
    if wanted is None:
        assert outcome.decision not in _COMMITS, f"{outcome.chosen!r} was chosen"
        return
    first = outcome.chosen or next(iter(outcome.shortlist), "")
    assert found.name(first) == str(wanted), (
        f"{first!r} was chosen, not {wanted!r}: {outcome.reason}"
    )


def _path(found: Seen, wanted: Json) -> None:
    path = list(found.made.candidate(found.made.outcome.chosen).path)
    assert path == listed(wanted), f"the path is {path}"


def _ids(wanted: Json) -> list[str]:
    """Names as the case writes them; a number may be one."""
    return [str(each) for each in listed(wanted if wanted is not None else [])]


def _order(found: Seen, wanted: Json) -> None:
    places = found.made.outcome.ranking
    inside = [found.name(each.id) for each in places if each.score is not None]
    every = [found.name(each.id) for each in places]
    assert _ids(wanted) in (inside, every), f"the order is {every}, not {wanted}"


def _scores(found: Seen, wanted: Json) -> None:
    scores = {found.name(each.id): each.score for each in found.made.outcome.ranking}
    for id, score in ((str(id), score) for id, score in wanted.items()):
        assert id in scores, f"{id!r} has no score: {scores}"
        assert same(scores[id], score, found.tolerance), f"{id!r} has {scores[id]}, not {score}"


def _margin(found: Seen, wanted: Json) -> None:
    margin = found.made.outcome.margin
    assert same(margin, wanted, found.tolerance), f"the margin is {margin}, not {wanted}"


def _tie(found: Seen, wanted: Json) -> None:
    tied = [found.name(id) for id in found.made.outcome.tied]
    if isinstance(wanted, bool):
        assert bool(tied) is wanted, f"tied: {tied}"
    else:
        assert sorted(tied) == sorted(_ids(wanted)), f"tied: {tied}"


def _decision(found: Seen, wanted: Json) -> None:
    outcome = found.made.outcome
    words = listed("none" if wanted is None else wanted)
    if strange := [word for word in words if word not in _MEANINGS]:
        raise NotUnderstood(f"a decision cannot be {strange}")
    said = (outcome.decision, outcome.status)
    assert any(_MEANINGS[word](*said) for word in words), f"the decision is {said}: {wanted}"


def _shortlist(found: Seen, wanted: Json) -> None:
    ids = [found.name(id) for id in found.made.outcome.shortlist]
    assert ids == _ids(wanted), f"the shortlist is {ids}, not {wanted}"


def _missing(found: Seen, wanted: Json) -> None:
    """The factors that nobody knows and that count, by candidate; or of any."""
    unknown = _unknown(found)
    if not isinstance(wanted, Mapping):
        names = sorted({name for each in unknown.values() for name in each})
        assert names == sorted(listed(wanted)), f"missing: {names}"
        return
    for id, names in wanted.items():
        listing = sorted(unknown.get(str(id), []))
        assert listing == sorted(listed(names)), f"missing of {id!r}: {listing}, not {names}"


def _unknown(found: Seen) -> dict[str, list[str]]:
    weights = found.made.setting.weights
    return {
        found.name(each.id): [
            name for name in weights if weights[name] and isinstance(each.factors[name], Abstained)
        ]
        for each in found.made.candidates
    }


def _excluded(found: Seen, wanted: Json) -> None:
    """Who is out; with words that the reason must name, if some are given."""
    out = {
        found.name(each.id): each.why for each in found.made.outcome.ranking if each.score is None
    }
    for pruned in found.made.pruned:
        for path in pruned.paths:
            id = " → ".join(path)
            out.setdefault(found.name(id), f"{pruned.reason}: {pruned.message}")
    if not isinstance(wanted, Mapping):
        assert sorted(out) == sorted(_ids(wanted)), f"excluded: {out}"
        return
    for id, words in ((str(id), words) for id, words in wanted.items()):
        assert id in out, f"{id!r} is not excluded: {out}"
        must_name(out[id], listed(words))


def _excluded_reasons(found: Seen, wanted: Json) -> None:
    if isinstance(wanted, Mapping):
        _excluded(found, wanted)
        return
    made = found.made
    told = [f"{each.reason}: {each.message}: {each.paths}" for each in made.pruned]
    told += [f"{each.id}: {each.why}" for each in made.outcome.ranking if each.why]
    must_name("\n".join(told), listed(wanted))


def _candidates_set(found: Seen, wanted: Json) -> None:
    paths = sorted(list(each.path) for each in found.made.candidates)
    assert paths == sorted(wanted), f"the candidates are {paths}"


def _candidate_ids(found: Seen, wanted: Json) -> None:
    ids = [found.name(each.id) for each in found.made.candidates]
    paths = [list(each.path) for each in found.made.candidates]
    assert list(wanted) in (ids, paths) or _ids(wanted) == ids, f"the candidates are {ids}"


def _count(found: Seen, wanted: Json) -> None:
    assert len(found.made.candidates) == wanted, f"{len(found.made.candidates)} candidates"


def _most(found: Seen, wanted: Json) -> None:
    assert len(found.made.candidates) <= wanted, f"{len(found.made.candidates)} candidates"


def _effective(found: Seen, wanted: Json) -> None:
    """What counted of each factor, an abstention by its policy."""
    names = list(found.made.setting.weights)
    for id, values in wanted.items():
        scored = next(e for e in found.ranked if found.name(e.candidate.id) == str(id))
        for name, value in values.items():
            counted = scored.effective[names.index(name)]
            number = None if counted is None else counted / 1e6
            assert same(number, value, found.tolerance), f"{name!r} of {id!r} counts {number}"


def _reason(found: Seen, wanted: Json) -> None:
    outcome = found.made.outcome
    causes = [
        f"{each.id}: {name}: {held.cause}"
        for each in found.made.candidates
        for name, held in each.factors.items()
        if isinstance(held, Abstained)
    ]
    must_name("\n".join([outcome.status, outcome.reason, *causes]), listed(wanted))


def _error(found: Seen, wanted: Json) -> None:
    """The failure is of the kind, or one that it tells of: a path fails with what its step did."""
    with Fields(wanted, "error") as fields:
        kind, words = fields.need("kind"), fields.take("must_name", [])
    if kind not in _KINDS and kind not in KINDS:
        raise NotUnderstood(f"no kind of error is called {kind!r}")
    observed = found.refused()
    codes, text = [code(observed)], told(observed)
    if observed.run is not None:
        codes += [node.failure.code for node in observed.nodes if node.failure]
    starts = (*_KINDS.get(kind, ()), *KINDS.get(kind, ()))
    assert any(each.startswith(starts) for each in codes), f"{codes} are not {kind!r}:\n{text}"
    must_name(text, ["inf" if word == "Infinity" else word for word in listed(words)])


def _on_record(found: Seen, wanted: Json) -> None:
    """The decision as it is recorded, and what the run left, name the words."""
    ledger = canonical(found.ledger.json()).decode() if found.ledger is not None else ""
    must_name("\n".join([ledger, found.observed.trace, *found.observed.heard]), listed(wanted))


def same_results(found: Seen, wanted: Json) -> None:
    assert len(found.again) > 1, "it was asked once"
    assert (len(set(found.again)) == 1) is wanted, f"{len(set(found.again))} different results"


def _output(found: Seen, wanted: Json) -> None:
    """What the path gave, which is the run's output, or its `response`."""
    given = found.observed.recorded.output
    told = given.get("response") if isinstance(given, Mapping) else None
    fits = any(same(each, wanted, found.tolerance) for each in (given, told))
    assert fits, f"the path gave {told!r}, not {wanted!r}"


def _given_up(found: Seen, wanted: Json) -> None:
    up = [
        found.name(" → ".join(each["path"])) for each in found.observed.recorded.output["given_up"]
    ]
    assert up == listed(wanted), f"given up: {up}"


def _best(found: Seen, wanted: Json) -> None:
    """Whether not knowing counted more than the worst of what is known."""
    names = list(found.made.setting.weights)
    helped = [
        (each.candidate.id, name)
        for at, name in enumerate(names)
        for each in found.ranked
        if isinstance(each.candidate.factors[name], Abstained)
        and (counted := each.effective[at]) is not None
        and counted > min(_known(found, name), default=counted)
    ]
    assert bool(helped) is wanted, f"not knowing helped: {helped}"


def _known(found: Seen, name: str) -> list[int]:
    held = [each.candidate.factors[name] for each in found.ranked]
    return [exact(each.value) for each in held if isinstance(each, Known)]


def _nan(found: Seen, wanted: Json) -> None:
    """Whether a score, or the margin, is no finite number."""
    scores = [*(each.score for each in found.made.outcome.ranking), found.made.outcome.margin]
    strange = [each for each in scores if each is not None and not math.isfinite(each)]
    assert bool(strange) is wanted, f"scores: {scores}"


def _must_not(found: Seen, wanted: Json) -> None:
    wanted = wanted if isinstance(wanted, Mapping) else dict.fromkeys(listed(wanted), True)
    for key, value in wanted.items():
        try:
            _check(key, "must_not")(found, value)
        except AssertionError:
            continue
        raise AssertionError(f"{key} is {value!r}")


def _any(found: Seen, wanted: Json) -> None:
    said = []
    for alternative in wanted:
        try:
            return holds(found, alternative, "accept_any")
        except AssertionError as error:
            said.append(str(error))
    raise AssertionError("none of the alternatives holds:\n" + "\n".join(said))


def _nothing(found: Seen, wanted: Json) -> None:
    """Read where it is used."""


SAID: dict[str, Callable[[Seen, Json], None]] = {
    "abstained": _missing,
    "accept_any": _any,
    "accept_error": _nothing,
    "candidates": _candidate_ids,
    "candidates_count": _count,
    "candidates_max": _most,
    "candidates_set": _candidates_set,
    "commit": lambda found, wanted: _decision(found, "commit" if wanted else "undecided"),
    "committed": lambda found, wanted: _decision(found, "commit" if wanted else "undecided"),
    "decision": _decision,
    "effective": _effective,
    "error": _error,
    "excluded": _excluded,
    "excluded_reasons_must_name": _excluded_reasons,
    "final_output": _output,
    "given_up": _given_up,
    "margin": _margin,
    "missing": _missing,
    "missing_helps": _best,
    "missing_counts_as_best": _best,
    "must_contain": _on_record,
    "must_not": _must_not,
    "nan_in_scores": _nan,
    "nan_scores": _nan,
    "order": _order,
    "output": _output,
    "path": _path,
    "ranking": _order,
    "reason_must_name": _reason,
    "same_every_time": same_results,
    "scores": _scores,
    "selected": _selected,
    "shortlist": _shortlist,
    "tie": _tie,
    "tied": _tie,
    "tolerance": _nothing,
    "trace_must_name": _on_record,
    "warning_must_name": _on_record,
}
