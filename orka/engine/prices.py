"""What a call costs, from a table the user can override. An unknown price is unknown, never 0."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec

from orka.errors import ConfigError
from orka.port.model import Usage


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Per million tokens. `cached` is the price of prompt tokens read from a cache; without it they
    cost as much as others."""

    prompt: float
    completion: float
    cached: float | None = None


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys are `provider/model`; a key that ends in `*` holds for what begins like it, the longest
    match wins."""

    currency: str = "USD"
    models: Mapping[str, Price] = {}

    def cost(self, provider: str, model: str, usage: Usage) -> float | None:
        """In `currency`, rounded to nine places; None if price or token counts are unknown."""
        price = self._find(f"{provider}/{model}")
        if price is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        rate = price.cached if price.cached is not None else price.prompt
        total = (usage.prompt_tokens - cached) * price.prompt
        total += cached * rate + usage.completion_tokens * price.completion
        return round(total / 1_000_000, 9)

    def _find(self, key: str) -> Price | None:
        if key in self.models:
            return self.models[key]
        starts = [k for k in self.models if k.endswith("*") and key.startswith(k[:-1])]
        return self.models[max(starts, key=len)] if starts else None

    def merged(self, other: Prices) -> Prices:
        return Prices(other.currency, {**self.models, **other.models})


def read_prices(text: str, source: str) -> Prices:
    """Raises `ConfigError` for a table that is not one."""
    try:
        return msgspec.convert(tomllib.loads(text), Prices)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(
            f"the price table cannot be read: {error}",
            where=source,
            fix='write [models."provider/model"] with prompt and completion, per million tokens',
            code="config.prices",
        ) from None


def shipped_prices() -> Prices:
    """The table that comes with OrKa."""
    text = resources.files("orka.engine").joinpath("prices.toml").read_text(encoding="utf-8")
    return read_prices(text, "prices.toml")


def prices_in(folder: str | Path | None) -> Prices:
    """The shipped table, overlaid with `prices.toml` of a store's folder if there is one."""
    own = Path(folder) / "prices.toml" if folder is not None else None
    shipped = shipped_prices()
    if own is None or not own.is_file():
        return shipped
    return shipped.merged(read_prices(own.read_text(encoding="utf-8"), str(own)))
