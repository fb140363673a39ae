"""Models behind any OpenAI-compatible endpoint: OpenAI, LM Studio, Ollama, vLLM, llama.cpp."""

from orka.kit.models.openai.model import OpenAIModel

__all__ = ["OpenAIModel"]
