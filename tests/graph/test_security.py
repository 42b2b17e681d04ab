# SPDX-License-Identifier: Apache-2.0
"""A graph with keys: it walks as it does without, who has none is nobody in it, and who has others' may do what they may.

Needs what the environment of `./surefoot` has not: a middleware that is built with security, and `sros2`, which makes keys.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surefoot.evaluation.run import FILE_NAME, read_run
from surefoot.robot.locate import shared_directory
from surefoot.security import ENABLE, KEYSTORE, POLICY, STRATEGY, enclave_words, without_security

STRANGER = Path(__file__).parents[1] / "helpers" / "stranger.py"
MAKE_KEYS = (
    "import sys; from pathlib import Path; from sros2 import keystore; from sros2.api import _artifact_generation as artifacts; "
    "folder = Path(sys.argv[1]); keystore.create_keystore(folder); "
    "artifacts.generate_artifacts(keystore_path=folder, policy_files=[Path(sys.argv[2])])"
)  # As `ros2 security create_keystore` and `ros2 security generate_artifacts` do.

pytest.importorskip("sros2", reason="no sros2 here, which makes keys; an installed ROS 2 has it")
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(without_security(os.environ) is not None, reason="the Fast DDS here is built without the security libraries"),
]


@pytest.fixture
def keys(graph: Any) -> Path:
    """Keys for the domain of the graph, made of the policy."""
    folder: Path = graph.folder / "keys"
    words = [sys.executable, "-c", MAKE_KEYS, str(folder), str(shared_directory() / POLICY)]
    environment = os.environ | {"ROS_DOMAIN_ID": str(graph.domain)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    return folder


def said(stranger: Any) -> dict[str, Any]:
    """The newest of what it said."""
    found: dict[str, Any] = json.loads(next((line for line in reversed(stranger.output.splitlines()) if line.startswith("{")), "{}"))
    return found


def test_keys_let_the_graph_walk_and_keep_strangers_out(graph: Any, keys: Path, short_story: Path, wait_until: Callable[..., Any]) -> None:
    without = graph.run(str(STRANGER))
    graph.environment |= {ENABLE: "true", STRATEGY: "Enforce", KEYSTORE: str(keys)}
    looks = graph.run(str(STRANGER))
    narrator = graph.run(str(STRANGER), "--ros-args", *enclave_words("narrator"))
    bag = graph.folder / "bag"
    arguments = ("duration:=6.6", "record:=true", f"bag:={bag}", f"record_directory:={graph.folder}", f"keystore:={keys}")
    launched = graph.launch(f"story:={short_story}", "security:=true", *arguments)
    wait_until(lambda: said(looks).get("heard", {}).get("/robot_mode", 0) > 0, lambda: looks.output + launched.output)
    status = graph.run("-m", "surefoot", "status")
    assert status.ends() == 0, status.output
    assert launched.ends() == 0, launched.output
    assert "ACCEPTED" in launched.output
    assert "publishers on /servo_command" not in launched.output
    assert read_run(graph.folder / FILE_NAME).ticks_without_command == 0

    alone = said(without)
    assert (alone["heard"], alone["heard_by"], alone["sees"], alone["refused"]) == ({}, 0, [], [])
    assert said(looks)["refused"] == ["say /servo_command"]
    assert set(said(looks)["heard"]) == {"/joint_states", "/robot_mode"}
    assert said(narrator)["refused"] == ["hear /joint_states", "say /servo_command"]
