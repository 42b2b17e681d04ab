# SPDX-License-Identifier: Apache-2.0
"""How a gait change is made, in words: the same in reasons of verdicts, plots, pages, reports and on the console."""


def manner_in_words(intermediate: str, intermediate_time: float, blend_time: float) -> str:
    """In words that follow where the change is made; empty where it is made directly and at once. See `snapshot.Candidate`."""
    through = f", through {intermediate} for {intermediate_time:.2f} s" if intermediate else ""
    return through + (f", blended over {blend_time:.2f} s" if blend_time > 0.0 else "")
