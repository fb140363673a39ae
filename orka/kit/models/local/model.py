"""Language models inside this process: one thread for each, where calls wait their turn."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orka.kit.models.local import answer, choices, settings
from orka.kit.models.local.digest import digest_of
from orka.kit.models.local.grammar import grammar
from orka.kit.models.local.llama import Check, Llama
from orka.kit.models.local.prompt import Prompt
from orka.kit.models.local.runtime import load
from orka.kit.models.local.weights import need
from orka.port.model import Call, Emit, ModelReply, ModelRequest, Usage


class LocalModel:
    """A `Model` on llama.cpp. Names are those of the catalogue, or paths of `.gguf` files.

    Options: `threads`, `context`. Raises `ModelError`; none of its errors is worth a retry.
    """

    def __init__(self) -> None:
        self._seats: dict[tuple[Path, settings.Loading], Seat] = {}

    async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply:
        """Answer `request`; when cancelled, the model stops at the next token."""
        key = (need(request.name), settings.loading(request))
        if key not in self._seats:
            self._seats[key] = Seat(*key)
        return await self._seats[key].ask(request, settings.sampling(request), emit)

    async def close(self) -> None:
        """Unload every model; waits for calls that are under way."""
        seats, self._seats = list(self._seats.values()), {}
        for seat in seats:
            await seat.close()


class Seat:
    """A model and the one thread that may touch it."""

    def __init__(self, path: Path, loading: settings.Loading) -> None:
        self._path, self._loading = path, loading
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"llama-{path.stem}")
        self._llama: Llama | None = None
        self._digest = ""

    async def ask(
        self, request: ModelRequest, sampling: settings.Sampling, emit: Emit
    ) -> ModelReply:
        loop = asyncio.get_running_loop()
        stop = threading.Event()

        def check() -> None:
            if stop.is_set():
                raise concurrent.futures.CancelledError

        def pass_on(piece: str) -> None:
            if not stop.is_set():
                loop.call_soon_threadsafe(emit, piece)

        try:
            return await loop.run_in_executor(
                self._thread, lambda: self._answer(request, sampling, pass_on, check)
            )
        finally:
            stop.set()

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._unload)
        self._thread.shutdown(wait=False)

    # In the thread

    def _unload(self) -> None:
        if self._llama is not None:
            self._llama.close()
            self._llama = None

    def _open(self) -> Llama:
        if self._llama is None:
            runtime = load()
            self._digest = f"sha256:{digest_of(self._path)}"
            self._llama = Llama(
                runtime, self._path, threads=self._loading.threads, context=self._loading.context
            )
        return self._llama

    def _answer(
        self, request: ModelRequest, sampling: settings.Sampling, emit: Emit, check: Check
    ) -> ModelReply:
        check()
        llama = self._open()
        prompt = llama.template.prompt(request.messages, f"local/{request.name}")
        if request.choices:
            return self._choose(llama, request, prompt, emit, check)
        rules = grammar(request) if request.schema is not None else ""
        sampler = llama.sampler(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=sampling.seed,
            grammar=rules,
        )
        try:
            reused = llama.begin(prompt, check)
            limit = min(sampling.max_tokens, llama.context - len(prompt))
            outlet = answer.Outlet(sampling.stops, emit)
            written = answer.write(llama, sampler, outlet, limit=limit, check=check)
        finally:
            sampler.close()
        usage = _usage(prompt, written.tokens, reused)
        return ModelReply(
            text=written.text,
            finish_reason=written.finish,
            usage=usage,
            model=request.name,
            build=llama.build,
            digest=self._digest,
        )

    def _choose(
        self,
        llama: Llama,
        request: ModelRequest,
        prompt: Prompt,
        emit: Emit,
        check: Check,
    ) -> ModelReply:
        reused = llama.begin(prompt, check)
        shares = choices.score(llama, request.choices, check)
        emit(shares.best)
        return ModelReply(
            text=shares.best,
            finish_reason="stop",
            usage=_usage(prompt, 0, reused),
            model=request.name,
            build=llama.build,
            digest=self._digest,
            probabilities=shares.probabilities,
            mass=shares.mass,
        )


def _usage(prompt: Prompt, made: int, reused: int) -> Usage:
    return Usage(prompt_tokens=len(prompt), completion_tokens=made, cached_tokens=reused)
