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
    library = library or _find_library(environment)
    if library is not None and WITHOUT in library.read_bytes():
        raise ConfigurationError(
            f"security is asked for ({ENABLE} is true), and the Fast DDS here is built without the security libraries ({library}). Use one "
            "that has them, with an installed ROS 2 and `ros2 launch surefoot_bringup robot.launch.xml security:=true`, or "
            f"security:=false with {ENABLE} not set"
        )
    keystore = environment.get(KEYSTORE, "")
    if not keystore:
        raise ConfigurationError(
            f"security is asked for ({ENABLE} is true), and no keystore is named: give keystore:=FOLDER, or set {KEYSTORE}. "
            "`ros2 security create_keystore FOLDER` makes one"
        )
    folder = Path(keystore).expanduser() / "enclaves"
    if not folder.is_dir():
        raise ConfigurationError(
            f"keystore '{keystore}' is none: it has no folder 'enclaves'. `ros2 security create_keystore {keystore}` makes one"
        )
    wanted = [environment[OVERRIDE]] if environment.get(OVERRIDE) else sorted(set(enclaves))
    missing = [name for name in wanted if not (folder / name.strip("/")).is_dir()]
    if missing and environment.get(STRATEGY) == "Enforce":
        raise ConfigurationError(
            f"keystore '{keystore}' has no enclave {', '.join(missing)}. `ros2 security generate_artifacts -k {keystore} -p {POLICY}` "
            "makes them, in the ROS_DOMAIN_ID of the robot; security_strategy:=Permissive starts nodes without, unprotected"
        )


def enclave_of(words: Iterable[str]) -> str:
    """The enclave that the arguments of a process name, '/' where they name none."""
    before = ""
    found = "/"
    for word in words:
        if before in ("--enclave", "-e"):
            found = word
        before = word
    return found


def _find_library(environment: Mapping[str, str]) -> Path | None:
    prefixes = environment.get("AMENT_PREFIX_PATH", os.environ.get("AMENT_PREFIX_PATH", "")).split(os.pathsep)
    return next((file for prefix in prefixes if prefix and (file := Path(prefix) / "lib" / LIBRARY).is_file()), None)
