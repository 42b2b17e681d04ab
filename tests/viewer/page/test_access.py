# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import ConfigurationError
from surefoot.viewer.page.access import access, is_local


def test_this_machine_may_command_and_the_network_may_look() -> None:
    here, there = access(), access("0.0.0.0")
    assert here.may_command("")
    assert here.pad
    assert not there.may_command("")
    assert not there.pad
    assert there.token == ""


def test_from_afar_a_token_is_needed_and_one_is_made_up() -> None:
    first, second = access("0.0.0.0", commands="on"), access("0.0.0.0", commands="on")
    assert len(first.token) >= 16
    assert first.token != second.token
    assert not first.may_command("")
    assert not first.may_command(second.token)
    assert first.may_command(first.token)
    assert first.pad


def test_commands_can_be_off_everywhere() -> None:
    assert not access(commands="off").may_command("")
    assert not access("0.0.0.0", commands="off", token="long enough").may_command("long enough")


@pytest.mark.parametrize(
    ("host", "origin", "good"),
    [
        ("localhost:8080", "http://localhost:8080", True),
        ("127.0.0.1:8080", None, True),
        ("localhost:8080", "http://evil.example", False),
        ("localhost:8080", "http://localhost:9999", False),
        ("localhost:8080", "null", False),
        ("evil.example:8080", "http://evil.example:8080", False),
        ("", None, False),
        ("[::1]:8080", None, True),
        ("[bad", None, False),
        ("127.0.0.2:8080", "http://127.0.0.2:8080", True),
        ("192.168.0.2:8080", None, False),
    ],
)
def test_no_other_page_speaks_for_a_person(host: str, origin: str | None, good: bool) -> None:
    assert access().may_connect(host, origin) is good


def test_beyond_this_machine_any_name_will_do_but_no_other_page() -> None:
    assert access("0.0.0.0").may_connect("robot.lan:8080", "http://robot.lan:8080")
    assert not access("0.0.0.0").may_connect("robot.lan:8080", "http://evil.example")


@pytest.mark.parametrize(
    ("given", "words"),
    [({"port": 70000}, "70000"), ({"commands": "yes"}, "'yes'"), ({"host": ""}, "0.0.0.0"), ({"token": "short"}, "5 characters")],
)
def test_what_cannot_be_is_refused_in_words(given: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        access(**given)  # type: ignore[arg-type]


def test_which_addresses_are_of_this_machine() -> None:
    assert all(is_local(host) for host in ("127.0.0.1", "127.8.0.1", "::1", "localhost"))
    assert not any(is_local(host) for host in ("0.0.0.0", "192.168.0.2", "robot"))
