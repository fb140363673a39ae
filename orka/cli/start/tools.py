"""Tools of the workflow beside this file: plain functions whose types say what they take."""

import orka


@orka.tool
def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


@orka.tool
def describe(kind: str, words: int) -> str:
    """Say how long a text is."""
    return f"This is a {kind} text: {words} words."
