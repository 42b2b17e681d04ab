# SPDX-License-Identifier: Apache-2.0
"""What SROS 2 needs is missed by name, before anything starts."""

from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError
from surefoot.security import ENABLE, KEYS, KEYSTORE, OVERRIDE, ROOT, STRATEGY, WITHOUT, check_security, enclave_of, enclave_words

ENCLAVES = ("/surefoot/teleop", "/surefoot/servo_bridge")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A middleware that has what it needs."""
    file = tmp_path / "with.so"
    file.write_bytes(b"\x7fELF and all that")
    return file


@pytest.fixture
def keystore(tmp_path: Path) -> Path:
    for name in (ROOT, *ENCLAVES):
        folder = tmp_path / "keys" / "enclaves" / name.strip("/")
        folder.mkdir(parents=True, exist_ok=True)
        for key in KEYS:
            (folder / key).touch()
    return tmp_path / "keys"


def asked(**more: str) -> dict[str, str]:
    return {ENABLE: "true", STRATEGY: "Enforce"} | more


def test_without_security_nothing_is_asked_for() -> None:
    check_security({}, ENCLAVES, Path("/nowhere"))
    # As rcl reads it: one word alone switches it on.
    check_security({ENABLE: "True"}, ENCLAVES, Path("/nowhere"))


def test_where_all_is_there_nodes_may_start(library: Path, keystore: Path) -> None:
    check_security(asked(**{KEYSTORE: str(keystore)}), ENCLAVES, library)


def test_a_middleware_without_the_libraries_is_named(tmp_path: Path, keystore: Path) -> None:
    bare = tmp_path / "without.so"
    bare.write_bytes(b"\x00" + WITHOUT + b"\x00")
    with pytest.raises(ConfigurationError, match=r"without the security libraries \(.*without.so\).*or security:=false with"):
        check_security(asked(**{KEYSTORE: str(keystore)}), ENCLAVES, bare)


def test_that_of_this_environment_says_itself_which_it_is() -> None:
    """The wheels of today have none; with others the keystore would be missed."""
    with pytest.raises(ConfigurationError, match=r"without the security libraries|no keystore is named"):
        check_security(asked(), ENCLAVES)


def test_a_keystore_has_to_be_named(library: Path) -> None:
    words = "no keystore is named: give keystore:=FOLDER, or set ROS_SECURITY_KEYSTORE"
    for environment in (asked(), asked(**{KEYSTORE: ""})):
        with pytest.raises(ConfigurationError, match=words):
            check_security(environment, ENCLAVES, library)


def test_a_folder_that_is_none_is_named(library: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"keystore '.*' is none.*create_keystore"):
        check_security(asked(**{KEYSTORE: str(tmp_path)}), ENCLAVES, library)


def test_an_enclave_that_is_missing_is_named_and_how_to_make_it(library: Path, keystore: Path) -> None:
    wanted = (*ENCLAVES, "/surefoot/view")
    environment = asked(**{KEYSTORE: str(keystore)})
    with pytest.raises(ConfigurationError, match=r"no keys of enclave /surefoot/view\. .*generate_artifacts -k .* -p config/security/p"):
        check_security(environment, wanted, library)
    check_security(environment | {STRATEGY: "Permissive"}, wanted, library)
    check_security(environment | {OVERRIDE: ENCLAVES[0]}, wanted, library)
    with pytest.raises(ConfigurationError, match="has no keys of enclave /other"):
        check_security(environment | {OVERRIDE: "/other"}, wanted, library)


def test_the_enclave_of_a_process_is_in_its_arguments() -> None:
    assert enclave_of(("python", "--ros-args", "--enclave", "/surefoot/view", "-p", "a:=b")) == "/surefoot/view"
    assert enclave_of(("python", "--ros-args", "-e", "/a", "--enclave", "/b")) == "/b"
    assert enclave_of(("python", "--enclave")) == "/"


def test_what_starts_a_node_by_hand_puts_it_into_its_enclave() -> None:
    assert enclave_of(("keyboard", "--ros-args", *enclave_words("keyboard"))) == "/surefoot/keyboard"


@pytest.mark.parametrize("enclave", [ROOT, *ENCLAVES])
def test_a_folder_without_keys_is_no_enclave(library: Path, keystore: Path, enclave: str) -> None:
    environment = asked(**{KEYSTORE: str(keystore)})
    check_security(environment, [enclave], library)
    (keystore / "enclaves" / enclave.strip("/") / "permissions.p7s").unlink()
    with pytest.raises(ConfigurationError, match=f"has no keys of enclave {enclave}"):
        check_security(environment, [enclave], library)


def test_a_home_that_ros_does_not_know_is_named(library: Path, keystore: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(keystore.parent))
    with pytest.raises(ConfigurationError, match="ROS 2 knows no ~, write the whole path"):
        check_security(asked(**{KEYSTORE: "~/keys"}), ENCLAVES, library)
