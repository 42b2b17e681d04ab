# SPDX-License-Identifier: Apache-2.0
"""Substitutions give what `ros2 launch` gives, or are refused with their place."""

from pathlib import Path

import pytest

from surefoot.bringup.errors import LaunchFileError, Origin
from surefoot.bringup.substitutions import Substituter
from surefoot.robot.locate import shared_directory

ORIGIN = Origin(Path("/somewhere/a.launch.xml"), 7)
VARIABLES = {"robot": "hyq", "key": "robot", "empty": "", "number": "1.0"}


def substitute(text: str) -> str:
    return Substituter(VARIABLES, ORIGIN, {"HOME": "/home/dog"})(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("$(var robot)", "hyq"),
        ("a-$(var robot).yaml", "a-hyq.yaml"),
        ("$(var $(var key))", "hyq"),
        ("$(var empty)", ""),
        ("$(var missing fallback)", "fallback"),
        ("$(env HOME)/x", "/home/dog/x"),
        ("$(env NOT_SET default)", "default"),
        ("$(env NOT_SET 'two words')", "two words"),
        ('$(env NOT_SET "$(var robot) (big)")', "hyq (big)"),
        ("$(env NOT_SET $(var robot))", "hyq"),
        ("$(dirname)/b.xml", "/somewhere/b.xml"),
        ("$(find-pkg-share surefoot_bringup)/config", f"{shared_directory()}/config"),
        ("costs 5$", "costs 5$"),
        (r"\$(var robot)", "$(var robot)"),
        ("$(equals $(var robot) hyq)", "true"),
        ("$(equals True 1)", "true"),
        ("$(command 'echo -n $(var robot) stands')", "hyq stands"),
        ("$(equals $(var number) 1.00)", "true"),
        ("$(not-equals 'story:$(var empty)' 'story:')", "false"),
        ("$(not-equals 'story:$(var robot)' 'story:')", "true"),
    ],
)
def test_substitution(text: str, value: str) -> None:
    assert substitute(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("$(var robto)", ["robto", "did you mean 'robot'", "<arg>"]),
        ("$(eval 1 + 1)", ["$(eval", "not supported", "find-pkg-share"]),
        ("$(command no_such_program)", ["$(command 'no_such_program')", "cannot be run"]),
        ("$(command 'ls /no/such/place')", ["exit code 2", "/no/such/place"]),
        ("$(env NOT_SET)", ["NOT_SET", "is not set"]),
        ("$(find-pkg-share nav2_bringup)", ["nav2_bringup", "only surefoot_bringup"]),
        ("$(var robot", ["does not close"]),
        ("$(var 'robot)", ["does not close"]),
        ("$()", ["is not a substitution"]),
        ("$(var)", ["takes 1 to 2 arguments, not 0"]),
        ("$(dirname x)", ["takes 0 arguments, not 1"]),
    ],
)
def test_refusal_names_the_thing_and_its_place(text: str, words: list[str]) -> None:
    with pytest.raises(LaunchFileError) as refusal:
        substitute(text)
    for word in ("/somewhere/a.launch.xml:7", *words):
        assert word in str(refusal.value)
