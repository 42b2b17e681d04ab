# SPDX-License-Identifier: Apache-2.0
"""What a loop gets, and what it is told where it does not get it."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surefoot import real_time
from surefoot.bringup.find import find_launch_file
from surefoot.bringup.parser import parse_launch_file


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[Any, ...]]:
    """In the place of the operating system: what was asked of it."""
    asked: list[tuple[Any, ...]] = []
    (tmp_path / "isolated").write_text("2-3,6\n")
    (tmp_path / "cpu_dma_latency").write_bytes(b"")
    monkeypatch.setattr(real_time, "ISOLATED", tmp_path / "isolated")
    monkeypatch.setattr(real_time, "WAKE_LATENCY", tmp_path / "cpu_dma_latency")
    monkeypatch.setenv(real_time.WISH, "true")

    def note(what: str) -> Callable[..., None]:
        return lambda *arguments: asked.append((what, *arguments))

    monkeypatch.setattr(os, "sched_setscheduler", note("priority"))
    monkeypatch.setattr(os, "sched_setaffinity", note("cores"))
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (1 << 16, 1 << 16))
    return asked


def test_no_two_loops_share_a_core_and_none_waits_for_one_that_is_farther_from_the_motors(system: list[tuple[Any, ...]]) -> None:
    words = [real_time.ask_for_the_thread(node) for node in real_time.LOOPS]
    assert [entry[2] for entry in system if entry[0] == "cores"] == [{2}, {3}, {6}]
    assert [entry[3].sched_priority for entry in system if entry[0] == "priority"] == [50, 49, 48, 47]
    assert words[0] == ("real-time priority 50", "runs on core 2")
    assert words[-1] == ("real-time priority 47", "no core of its own: 3 kept free, 4 needed")


def test_of_one_free_core_the_bridge_is_the_owner(system: list[tuple[Any, ...]]) -> None:
    real_time.ISOLATED.write_text("3\n")
    words = {node: real_time.ask_for_the_thread(node)[1] for node in real_time.LOOPS}
    assert words.pop("servo_bridge") == "runs on core 3"
    assert set(words.values()) == {"no core of its own: 1 kept free, 4 needed"}


def test_memory_is_asked_for_by_the_process_and_not_where_there_is_a_limit(system: list[tuple[Any, ...]]) -> None:
    # Under a limit a lock is a fault that comes later.
    (words,) = real_time.ask_for_the_process("gait_planner")
    assert "memory is not locked" in words
    assert system == []


def test_one_loop_keeps_the_cores_awake_for_all(system: list[tuple[Any, ...]]) -> None:
    asked = {node: real_time.ask_for_the_process(node) for node in real_time.LOOPS}
    assert [node for node, words in asked.items() if "cores stay awake" in words] == ["servo_bridge"]
    assert real_time.WAKE_LATENCY.read_bytes() == b"\0\0\0\0"
    held = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{number}")]
    assert str(real_time.WAKE_LATENCY) in held


def test_cores_that_may_sleep_are_no_reason_to_end(system: list[tuple[Any, ...]]) -> None:
    real_time.WAKE_LATENCY.unlink()
    permitted, words = real_time.stay_awake()
    assert not permitted
    assert words == "cores may sleep between ticks: No such file or directory; see `surefoot preflight`"


def test_what_is_refused_is_said_and_nothing_fails(system: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    real_time.ISOLATED.write_text("\n")
    words = real_time.ask_for_the_thread("servo_bridge")
    assert "no real-time priority: Operation not permitted" in words[0]
    assert "no core of its own" in words[1]
    real_time.ISOLATED.unlink()
    assert "no core of its own" in real_time.ask_for_the_thread("servo_bridge")[1]


@pytest.mark.parametrize(("node", "wish"), [("recorder", "true"), ("servo_bridge", "false"), ("servo_bridge", "")])
def test_nobody_else_asks(system: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, node: str, wish: str) -> None:
    monkeypatch.setenv(real_time.WISH, wish)
    assert real_time.ask_for_the_thread(node) == real_time.ask_for_the_process(node) == ()
    assert system == []


@pytest.mark.parametrize(("name", "wish"), [("robot", "true"), ("sim", "false")])
def test_the_loops_of_a_robot_wish_for_it_and_those_of_a_simulation_do_not(name: str, wish: str) -> None:
    nodes = parse_launch_file(find_launch_file(name), {"robot": "hyq"}).nodes
    environments = {node.executable: dict(node.environment) for node in nodes}
    assert {node for node, values in environments.items() if values.get(real_time.WISH) == wish} == set(real_time.LOOPS)


WATCHER = """
import os, threading
from surefoot.real_time import step_back
before, over = os.getpriority(os.PRIO_PROCESS, 0), threading.Event()
threading.Thread(target=over.wait).start()
step_back()
later = threading.Thread(target=over.wait)
later.start()
print([os.getpriority(os.PRIO_PROCESS, int(thread)) for thread in sorted(os.listdir("/proc/self/task"))])
over.set()
"""


def test_who_only_watches_steps_back_with_all_of_its_threads() -> None:
    # In a process of its own: nobody may come forward again.
    said = subprocess.run([sys.executable, "-c", WATCHER], capture_output=True, text=True, check=True).stdout
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert said.strip() == str([max(own, real_time.STEP_BACK)] * 3)


ENDING = """
import os, threading
from surefoot.real_time import STEP_BACK, come_back, step_back
before, over = os.getpriority(os.PRIO_PROCESS, 0), threading.Event()
threading.Thread(target=over.wait).start()
step_back()
come_back(before)
stand = {os.getpriority(os.PRIO_PROCESS, int(thread)) for thread in os.listdir("/proc/self/task")}
try:
    os.setpriority(os.PRIO_PROCESS, 0, before)
    permitted = True
except PermissionError:
    permitted = False
print(stand == {before if permitted else max(before, STEP_BACK)}, stand, permitted)
over.set()
"""


def test_who_ends_comes_back_where_that_is_permitted_and_is_no_worse_off_where_it_is_not() -> None:
    said = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True).stdout
    assert said.startswith("True"), said
