# SPDX-License-Identifier: Apache-2.0
"""Parameters get the types that the ROS 2 front end would give them."""

import pytest
import yaml

from surefoot.bringup.values import as_yaml, condition, parameter_value
from surefoot.errors import ConfigurationError


@pytest.mark.parametrize(
    ("text", "type_name", "value"),
    [
        ("3", None, 3),
        ("3.0", None, 3.0),
        ("-1.5e-3", None, -1.5e-3),
        ("1e3", None, "1e3"),  # YAML 1.1 wants a point in a float
        ("true", None, True),
        ("off", None, False),
        ("hyq", None, "hyq"),
        ("", None, ""),
        ("'3'", None, "3"),
        ("[1, 2]", None, [1, 2]),
        ("[LF, RF]", None, ["LF", "RF"]),
        ("3", "float", 3.0),
        ("1e3", "float", 1000.0),
        ("3", "str", "3"),
        ("1", "bool", True),
        ("False", "bool", False),
        ("", "str", ""),
        ("[1.0, 2.0]", "list_of_float", [1.0, 2.0]),
    ],
)
def test_value(text: str, type_name: str | None, value: object) -> None:
    result = parameter_value(text, type_name)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "type_name", "word"),
    [
        ("3.5", "int", "3.5"),
        ("fast", "float", "fast"),
        ("2", "bool", "2"),
        ("[1, 2.0]", None, "one of these types"),
        ("[1, x]", "list_of_int", "list_of_int"),
        ("{a: 1}", None, 'type="str"'),
        ("null", None, 'type="str"'),
        ("[]", None, "list"),
        ("a: b: c", None, "YAML"),
        ("3", "double", "unknown parameter type 'double'"),
    ],
)
def test_refused(text: str, type_name: str | None, word: str) -> None:
    with pytest.raises(ConfigurationError, match=r".") as refusal:
        parameter_value(text, type_name)
    assert word in str(refusal.value)


@pytest.mark.parametrize(
    "value", [True, 0, -7, 1.0, 1e-9, 1e22, float("inf"), "hyq", "", "true", "3", "a 'b' \"c\"\n: é", [1.0, 2.5], ["a", "1"]]
)
def test_command_line_keeps_the_type(value: object) -> None:
    back = yaml.safe_load(as_yaml(value))  # type: ignore[arg-type]
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(("text", "holds"), [("true", True), (" True ", True), ("1", True), ("FALSE", False), ("0", False)])
def test_condition(text: str, holds: bool) -> None:
    assert condition(text) is holds


@pytest.mark.parametrize("text", ["", "yes", "2", "hyq"])
def test_not_a_condition(text: str) -> None:
    with pytest.raises(ConfigurationError, match="not a condition"):
        condition(text)
