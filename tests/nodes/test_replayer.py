# SPDX-License-Identifier: Apache-2.0
"""What the replayer is told; that it plays is in tests/graph."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from surefoot.nodes import replayer
from surefoot.recording.playback import Playback

WORDS = ("seek inf", "seek -inf", "seek 1e300", "seek nan", "seek", "speed nan", "speed -1", "speed 1e309 x", "\x00", "")


@pytest.mark.parametrize("words", WORDS)
def test_words_that_mean_nothing_are_counted_or_lead_to_a_place_in_the_bag(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = Counter[str]()
    plays: Any = SimpleNamespace(_playback=Playback(5, 10_000_000_005), fault=lambda kind, text: faults.update([kind]))
    replayer.ReplayerNode._obey(plays, words)
    assert 5 <= plays._playback.position <= 10_000_000_005
    assert faults == {"not_understood": 1} or plays._playback.jumps == 1
