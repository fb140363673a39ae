"""Choosing the next token, within a grammar if there is one."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Taste:
    """Temperature 0 takes the likeliest token; above it the seed decides."""

    temperature: float
    top_p: float
    seed: int


class Sampler:
    """Remembers the tokens it chose, as a grammar requires. Used for one answer, then closed.

    A grammar has an opinion on each of 150,000 tokens. It is asked about the token the model wants;
    only when it says no, about all of them.
    """

    def __init__(self, c: Any, ctx: Any, rules: Any, taste: Taste) -> None:
        self._c, self._ctx, self._rules = c, ctx, rules
        self._free = self._chain(None, taste)
        self._bound = None if rules is None else self._chain(rules, taste)

    def next(self) -> int:
        """The token after the last one evaluated."""
        wanted = int(self._c.llama_sampler_sample(self._free, self._ctx, -1))
        if self._bound is None:
            return wanted
        if self._allowed(wanted):
            self._c.llama_sampler_accept(self._bound, wanted)
            return wanted
        return int(self._c.llama_sampler_sample(self._bound, self._ctx, -1))

    def close(self) -> None:
        """Give the memory back."""
        for chain in (self._free, self._bound):
            if chain is not None:
                self._c.llama_sampler_free(chain)

    def _allowed(self, token: int) -> bool:
        data = (self._c.llama_token_data * 1)()
        data[0].id, data[0].logit, data[0].p = token, 0.0, 0.0
        candidates = self._c.llama_token_data_array(data=data, size=1, selected=-1, sorted=False)
        self._c.llama_sampler_apply(self._rules, ctypes.byref(candidates))
        return math.isfinite(data[0].logit)

    def _chain(self, rules: Any, taste: Taste) -> Any:
        chain = self._c.llama_sampler_chain_init(self._c.llama_sampler_chain_default_params())
        links = [] if rules is None else [rules]
        if taste.temperature <= 0:
            links.append(self._c.llama_sampler_init_greedy())
        else:
            links.append(self._c.llama_sampler_init_top_p(taste.top_p, 1))
            links.append(self._c.llama_sampler_init_temp(taste.temperature))
            links.append(self._c.llama_sampler_init_dist(taste.seed))
        for link in links:
            self._c.llama_sampler_chain_add(chain, link)
        return chain
