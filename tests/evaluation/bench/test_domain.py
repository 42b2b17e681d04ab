# SPDX-License-Identifier: Apache-2.0
"""Graphs that are measured keep to themselves."""

import os
import subprocess
import sys

import pytest

from surefoot.errors import SurefootError
from surefoot.evaluation.bench import domain
from surefoot.evaluation.bench.domain import own_domain


def test_each_measurement_has_a_domain_of_its_own_where_nobody_is() -> None:
    with own_domain() as first, own_domain() as second:
        assert first != second
        other = subprocess.Popen(
            [sys.executable, "-c", "print(flush=True); input()"], env=os.environ | {"ROS_DOMAIN_ID": hex(second)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert other.stdout is not None
        other.stdout.readline()
    try:
        with own_domain() as again:
            assert again != second
    finally:
        other.communicate(b"\n")


def test_that_there_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with own_domain() as only:
        monkeypatch.setattr(domain, "DOMAINS", range(only, only + 1))
        with pytest.raises(SurefootError, match=f"{only} to {only} are all in use"), own_domain():
            pass
