# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

import pytest
from rclpy.context import Context

from surefoot.errors import ConfigurationError
from surefoot.ros_domain import VARIABLE, domain_number

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "surefoot" / "surefoot"


@pytest.mark.parametrize("text", [None, "", "0", "00", "7", " 7", "+7", "0x10", "010", "232"])
def test_a_domain_is_the_number_that_ros_reads(monkeypatch: pytest.MonkeyPatch, text: str | None) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if text is not None:
        monkeypatch.setenv(VARIABLE, text)
    context = Context()
    context.init()
    try:
        assert domain_number() == context.get_domain_id()
    finally:
        context.shutdown()


@pytest.mark.parametrize("text", ["abc", "5abc", "-1", "08", "1.0", "233", "0x", " ", "9" * 30])
def test_what_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(ConfigurationError, match=f"ROS_DOMAIN_ID is '{text}', and a ROS domain is a number from 0 to 232; set it anew"):
        domain_number(text)


def test_nobody_else_reads_it() -> None:
    reads = re.compile(rf"environ(\(\))?(\.get\(|\[)\s*[\"']{VARIABLE}")
    assert [str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if reads.search(path.read_text())] == []
