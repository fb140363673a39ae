"""What tests of plugins share."""

from __future__ import annotations

from installed import site

__all__ = ["site"]
