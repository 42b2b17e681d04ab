# SPDX-License-Identifier: Apache-2.0
"""Whether what SROS 2 needs is there, asked before anything starts: the middleware says it late, and not what to do."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from surefoot.errors import ConfigurationError

ENABLE, STRATEGY, KEYSTORE = "ROS_SECURITY_ENABLE", "ROS_SECURITY_STRATEGY", "ROS_SECURITY_KEYSTORE"
OVERRIDE = "ROS_SECURITY_ENCLAVE_OVERRIDE"
"""Variables of ROS 2."""

POLICY = "config/security/policy.xml"
"""What each node may say and hear."""

ENCLAVES = "/surefoot"
"""Before the name of a node: its enclave, which the launch files give it."""
ROOT = "/"
"""The enclave of who names none."""
KEYS = ("cert.pem", "key.pem", "permissions.p7s")
"""Of an enclave, in its folder of a keystore."""

MIDDLEWARE, OURS = "RMW_IMPLEMENTATION", "rmw_fastrtps"
"""Variable of ROS 2 that chooses one, and the beginning of the names of those that we can look into."""
LIBRARY = "librmw_fastrtps_shared_cpp.so"
WITHOUT = b"doesn't have the security libraries"
"""What that library would say at each start: it is in it only where it was built without them."""


def check_security(environment: Mapping[str, str], enclaves: Iterable[str], library: Path | None = None) -> None:
    """Look whether nodes can start as securely as they are asked to.

    Args:
        environment: of the nodes.
        enclaves: of those nodes, such as /surefoot/teleop.
        library: of the middleware; None: the one that a node of this environment loads.

    Raises:
        ConfigurationError: security is on, and something that it needs is not there: its name, and the way out.
    """
    if environment.get(ENABLE) != "true":
        return
    if (bare := without_security(environment, library)) is not None:
        raise ConfigurationError(
            f"security is asked for ({ENABLE} is true), and the Fast DDS here is built without the security libraries ({bare}). Use one "
            "that has them, with an installed ROS 2 and `ros2 launch surefoot_bringup robot.launch.xml security:=true`, or "
            f"security:=false with {ENABLE} not set"
        )
    keystore = environment.get(KEYSTORE, "")
    if not keystore:
        raise ConfigurationError(
            f"security is asked for ({ENABLE} is true), and no keystore is named: give keystore:=FOLDER, or set {KEYSTORE}. "
            "`ros2 security create_keystore FOLDER` makes one"
        )
    # As rcl reads it, which knows no home: a shell leaves the ~ of keystore:=~/keys as it is.
    folder = Path(keystore) / "enclaves"
    if not folder.is_dir():
        home = "; ROS 2 knows no ~, write the whole path" if keystore.startswith("~") else ""
        raise ConfigurationError(
            f"keystore '{keystore}' is none: it has no folder 'enclaves'{home}. `ros2 security create_keystore {keystore}` makes one"
        )
    wanted = [environment[OVERRIDE]] if environment.get(OVERRIDE) else sorted(set(enclaves))
    missing = [name for name in wanted if not all((folder / name.strip("/") / key).is_file() for key in KEYS)]
    if missing and environment.get(STRATEGY) == "Enforce":
        raise ConfigurationError(
            f"keystore '{keystore}' has no keys of enclave {', '.join(missing)}. "
            f"`ros2 security generate_artifacts -k {keystore} -p {POLICY}` makes them, in the ROS_DOMAIN_ID of the robot; "
            "security_strategy:=Permissive starts nodes without, unprotected"
        )


def without_security(environment: Mapping[str, str], library: Path | None = None) -> Path | None:
    """The library of the middleware, where it is built without security; None where it has it, is not found, or is none that we know.

    Args:
        environment: of nodes.
        library: to look into; None: the one that a node of this environment loads.
    """
    if not environment.get(MIDDLEWARE, OURS).startswith(OURS):
        return None
    library = library or _find_library(environment)
    return library if library is not None and WITHOUT in library.read_bytes() else None


def enclave_words(executable: str) -> tuple[str, str]:
    """Arguments of ROS that put a node into its enclave, whoever starts it; without security they change nothing."""
    return ("--enclave", f"{ENCLAVES}/{executable}")


def enclave_of(words: Iterable[str]) -> str:
    """The enclave that the arguments of a process name, '/' where they name none."""
    before = ""
    found = ROOT
    for word in words:
        if before in ("--enclave", "-e"):
            found = word
        before = word
    return found


def _find_library(environment: Mapping[str, str]) -> Path | None:
    prefixes = environment.get("AMENT_PREFIX_PATH", os.environ.get("AMENT_PREFIX_PATH", "")).split(os.pathsep)
    return next((file for prefix in prefixes if prefix and (file := Path(prefix) / "lib" / LIBRARY).is_file()), None)
