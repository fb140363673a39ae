"""Deciding: state as a fold over events, the scheduler, replay and fork. Nothing here waits."""
