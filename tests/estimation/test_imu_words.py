# SPDX-License-Identifier: Apache-2.0
from surefoot.estimation.imu_words import FrameDoubts


def test_a_frame_that_is_not_that_of_the_imu_is_said_once() -> None:
    doubts = FrameDoubts("imu_link")
    assert doubts.said("") == doubts.said("imu_link") == ""
    assert "'trunk'" in doubts.said("trunk")
    assert doubts.said("trunk") == ""


def test_a_sender_of_ever_new_frames_is_not_remembered_for_ever() -> None:
    doubts = FrameDoubts("imu_link")
    assert sum(bool(doubts.said(f"frame_{k}")) for k in range(100)) < 10
