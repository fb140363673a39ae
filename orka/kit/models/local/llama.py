"""One model in llama.cpp: tokens in, logits and tokens out. Used by one thread only."""

from __future__ import annotations

import ctypes
import importlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from orka.errors import ModelError
from orka.kit.models.local.prompt import ChatTemplate, Prompt
from orka.kit.models.local.runtime import Runtime
from orka.kit.models.local.sampler import Sampler, Taste

CHUNK = 64
"""Tokens per call of llama.cpp, so that a call can be stopped soon. Part of the fixed schedule."""

KEPT_BYTES = 256 << 20
"""How much memory the evaluated heads of earlier prompts may take."""

Check = Callable[[], None]
"""Called between tokens; raises to stop."""


class Llama:
    """The weights, one context and the heads evaluated so far."""

    def __init__(self, runtime: Runtime, path: Path, *, threads: int, context: int) -> None:
        self.path, self.context, self.build = path, context, runtime.build
        self._runtime, self._c = runtime, runtime.llama
        self._numpy: Any = importlib.import_module("numpy")
        self._model: Any = self._load_model()
        self._vocab: Any = self._c.llama_model_get_vocab(self._model)
        self._ctx: Any = self._open(threads)
        self._memory: Any = self._c.llama_get_memory(self._ctx)
        self._batch: Any = self._c.llama_batch_init(CHUNK, 0, 1)
        self._heads: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        self.size: int = self._c.llama_vocab_n_tokens(self._vocab)
        self.template = self._chat_template()
        self.place = 0

    def close(self) -> None:
        """Give the memory back; the object cannot be used after this."""
        self._heads.clear()
        self._c.llama_batch_free(self._batch)
        self._c.llama_free(self._ctx)
        self._c.llama_model_free(self._model)

    # Loading

    def _load_model(self) -> Any:
        self._runtime.complaints.clear()
        model = self._c.llama_model_load_from_file(
            str(self.path).encode(), self._c.llama_model_default_params()
        )
        if model is None:
            said = "; ".join(self._runtime.complaints) or "llama.cpp did not say why"
            raise ModelError(
                f"the model file cannot be loaded: {said}",
                where=str(self.path),
                fix="check that it is a whole GGUF file; `orka models remove` and `pull` it again",
                code="model.weights",
                retryable=False,
            )
        return model

    def _open(self, threads: int) -> Any:
        trained: int = self._c.llama_model_n_ctx_train(self._model)
        if self.context > trained:
            raise self._refusal(
                f"context is {self.context} tokens and the model was trained on {trained}",
                f"set options.context to {trained} or less",
            )
        params = self._c.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = self.context, CHUNK, CHUNK
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        params.flash_attn_type = self._c.LLAMA_FLASH_ATTN_TYPE_DISABLED
        opened = self._c.llama_init_from_model(self._model, params)
        if opened is None:
            said = "; ".join(self._runtime.complaints) or "not enough memory?"
            raise self._refusal(
                f"no context of {self.context} tokens can be made: {said}",
                "set options.context to a smaller number",
            )
        return opened

    def _chat_template(self) -> ChatTemplate:
        found = self._c.llama_model_chat_template(self._model, None)
        if not found:
            raise self._refusal(
                "the model has no chat template: it continues text and does not follow messages",
                "use an instruct model",
            )
        formats = importlib.import_module("llama_cpp.llama_chat_format")
        bos = self._text_of(self._c.llama_vocab_bos(self._vocab))
        render = formats.Jinja2ChatFormatter(
            template=found.decode(),
            eos_token=self._text_of(self._c.llama_vocab_eos(self._vocab)),
            bos_token=bos,
        )
        opening = bos if self._c.llama_vocab_get_add_bos(self._vocab) else ""
        errors = (formats.jinja2.TemplateError, ValueError, TypeError)
        return ChatTemplate(render, errors, self.tokenize, opening)

    def _text_of(self, token: int) -> str:
        return "" if token < 0 else str(self._c.llama_vocab_get_text(self._vocab, token).decode())

    def _refusal(self, what: str, fix: str) -> ModelError:
        return ModelError(
            what, where=str(self.path), fix=fix, code="model.refused", retryable=False
        )

    # Text and tokens

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Tokens of `text`; with `special`, names of special tokens in it become these tokens."""
        data = text.encode()
        room = len(data) + 8
        tokens = (ctypes.c_int32 * room)()
        count = self._c.llama_tokenize(self._vocab, data, len(data), tokens, room, False, special)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The bytes a token stands for; a special token stands for none."""
        room = 64
        buffer = ctypes.create_string_buffer(room)
        length = self._c.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
        if length < 0:
            room = -length
            buffer = ctypes.create_string_buffer(room)
            length = self._c.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
        return buffer.raw[:length]

    def ends(self, token: int) -> bool:
        """Whether the model says with `token` that it is done."""
        return bool(self._c.llama_vocab_is_eog(self._vocab, token))

    # Evaluating

    def begin(self, prompt: Prompt, check: Check) -> int:
        """Evaluate a prompt from nothing, always in the same pieces, so that its logits do not
        depend on what ran before. Gives the number of tokens whose evaluation was already there."""
        if len(prompt) >= self.context:
            raise ModelError(
                f"the prompt has {len(prompt)} tokens and the context holds {self.context}, "
                "with room for the answer",
                where=str(self.path),
                fix="shorten the prompt, or raise options.context",
                code="model.context_overflow",
                retryable=False,
            )
        self._c.llama_memory_clear(self._memory, False)
        self.place = 0
        reused = self._recall(prompt.head)
        if not reused and prompt.head:
            self.feed(prompt.head, check)
            self._keep(prompt.head)
        self.feed(prompt.rest, check)
        return reused

    def feed(self, tokens: Sequence[int], check: Check) -> None:
        """Evaluate `tokens` after what is there; the logits of the last one can be read."""
        for start in range(0, len(tokens), CHUNK):
            check()
            self._decode(tokens[start : start + CHUNK], every=False)

    def feed_all(self, tokens: Sequence[int]) -> None:
        """Evaluate at most CHUNK tokens; the logits of each can be read."""
        self._decode(tokens, every=True)

    def rewind(self, place: int) -> None:
        """Forget everything after the first `place` tokens."""
        self._c.llama_memory_seq_rm(self._memory, 0, place, -1)
        self.place = place

    def _decode(self, tokens: Sequence[int], *, every: bool) -> None:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for at, token in enumerate(tokens):
            batch.token[at], batch.pos[at] = token, self.place + at
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, 0
            batch.logits[at] = every or at == len(tokens) - 1
        if code := self._c.llama_decode(self._ctx, batch):
            raise ModelError(
                f"llama.cpp could not evaluate {len(tokens)} tokens (code {code})",
                where=str(self.path),
                fix="try again; if it persists, lower options.context",
            )
        self.place += len(tokens)

    def _recall(self, head: tuple[int, ...]) -> int:
        kept = self._heads.get(head)
        if kept is None:
            return 0
        self._heads.move_to_end(head)
        if not self._c.llama_state_seq_set_data(self._ctx, kept, len(kept), 0):
            del self._heads[head]
            self._c.llama_memory_clear(self._memory, False)
            return 0
        self.place = len(head)
        return len(head)

    def _keep(self, head: tuple[int, ...]) -> None:
        size = self._c.llama_state_seq_get_size(self._ctx, 0)
        data = (ctypes.c_uint8 * size)()
        if self._c.llama_state_seq_get_data(self._ctx, data, size, 0) != size:
            return
        self._heads[head] = data
        while sum(len(kept) for kept in self._heads.values()) > KEPT_BYTES:
            self._heads.popitem(last=False)

    # Reading

    def logits(self, at: int = -1) -> Any:
        """The numbers for the token after the `at`-th evaluated one, as a numpy array."""
        numpy = self._numpy
        pointer = self._c.llama_get_logits_ith(self._ctx, at)
        return numpy.ctypeslib.as_array(pointer, shape=(self.size,)).astype(numpy.float64)

    def shares(self, at: int = -1) -> Any:
        """Softmax of `logits`."""
        numpy = self._numpy
        logits = self.logits(at)
        raised = numpy.exp(logits - logits.max())
        return raised / raised.sum()

    def sampler(self, *, temperature: float, top_p: float, seed: int, grammar: str) -> Sampler:
        """A sampler for one answer. `grammar` is GBNF with a rule `root`, or empty."""
        return Sampler(
            self._c,
            self._ctx,
            self._rules(grammar) if grammar else None,
            Taste(temperature, top_p, seed),
        )

    def _rules(self, grammar: str) -> Any:
        self._runtime.complaints.clear()
        rules = self._c.llama_sampler_init_grammar(self._vocab, grammar.encode(), b"root")
        if not rules:
            said = "; ".join(self._runtime.complaints) or "llama.cpp did not say why"
            raise self._refusal(
                f"the schema gives a grammar llama.cpp does not take: {said}",
                "simplify the schema: plain types, enum, required, bounded lengths",
            )
        return rules
