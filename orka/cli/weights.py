"""Weights and policies as the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from orka.errors import ConfigError
from orka.score.factor import PENALTIES
from orka.score.setting import check_policy, check_weights, rounded
from orka.spec.yaml import read


def read_weights(file: str) -> dict[str, float]:
    """The map of a YAML file: factors and their weights, or such a map under `weights`.

    Raises `ConfigError` for a file that cannot be read, and for weights that cannot be meant."""
    try:
        written = read(Path(file).read_bytes(), file).value
    except OSError as error:
        raise ConfigError(
            f"the file of weights {file!r} cannot be read: {error.strerror}",
            fix="give the path of a YAML file with a line for each factor, such as `llm: 0.4`",
            code="config.missing_file",
        ) from None
    return checked(written.get("weights", written), file)


def whole_weights(given: Sequence[str]) -> dict[str, float] | None:
    """The weights of the one file among `FILE|FACTOR=WEIGHT`, if there is one. Raises
    `click.BadParameter` for several."""
    files = [each for each in given if "=" not in each]
    if len(files) > 1:
        raise click.BadParameter("give one file at most", param_hint="--weights")
    return read_weights(files[0]) if files else None


def checked(weights: Mapping[str, object], where: str) -> dict[str, float]:
    """Raises `ConfigError` that names the place too."""
    try:
        check_weights(weights, tuple(weights) if isinstance(weights, Mapping) else ())
    except ConfigError as error:
        raise ConfigError(error.what, where=where, fix=error.fix, code=error.code) from None
    return {name: rounded(weight) for name, weight in weights.items()}


def weight_pairs(given: Sequence[str], option: str) -> dict[str, float]:
    """`FACTOR=WEIGHT` by name. Raises `click.BadParameter`, and `ConfigError` for a weight that
    cannot be meant; one of 0 can."""
    found: dict[str, float] = {}
    for name, text in pairs(given, option).items():
        try:
            found[name] = float(text)
        except ValueError:
            raise click.BadParameter(f"{text!r} is no number", param_hint=option) from None
    if found:
        checked({**found, "the rest": 1.0}, option)  # the rest keeps its own, so 0 is no matter
    return found


def policy_pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """`FACTOR=POLICY` by name. Raises `click.BadParameter` and `ConfigError`."""
    found = pairs(given, option)
    for name, policy in found.items():
        check_policy(name, policy, penalty=name in PENALTIES)
    return found


def pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """`NAME=VALUE`, each name once."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name or name in found:
            wrong = "names one twice" if name in found else "is not NAME=VALUE"
            raise click.BadParameter(f"{text!r} {wrong}", param_hint=option)
        found[name] = value
    return found
