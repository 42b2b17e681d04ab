# SPDX-License-Identifier: Apache-2.0
"""Another controller by a parameter of the running node, and who hears of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue, SetParametersResult
from rcl_interfaces.srv import SetParameters
from std_msgs.msg import String
from surefoot_msgs.msg import Verdict

from surefoot.locomotion.laws import COMPILED_JOINT_PID
from surefoot.nodes import quality
from surefoot.traces.decision.record import read_record

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def put(ear: Any, wait_until: Callable[..., Any]) -> Callable[[str, ParameterValue], SetParametersResult]:
    """Sets a parameter of inverse_dynamics, as `ros2 param set` does."""
    client = ear.node.create_client(SetParameters, "/inverse_dynamics/set_parameters")

    def put(name: str, value: ParameterValue) -> SetParametersResult:
        wait_until(client.service_is_ready)
        answer = client.call_async(SetParameters.Request(parameters=[Parameter(name=name, value=value)]))
        wait_until(answer.done)
        return answer.result().results[0]

    return put


def text(value: str) -> ParameterValue:
    return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)


def test_a_controller_is_swapped_by_its_name_or_refused_with_a_reason(
    graph: Any, ear: Any, wait_until: Callable[..., Any], put: Callable[[str, ParameterValue], SetParametersResult]
) -> None:
    heard = ear.hear(String, "/controller", quality.EVENT)
    node = graph.node("inverse_dynamics")
    wait_until(lambda: heard)
    assert [message.data for message in heard] == ["compiled"]
    assert put("controller", text("whole_body_qp")).successful
    wait_until(lambda: len(heard) == 2)
    assert heard[-1].data == "whole_body_qp"
    node.says("whole_body_qp drives from now on")

    unknown = put("controller", text("whole_body"))
    assert not unknown.successful
    assert "unknown controller 'whole_body'; did you mean 'whole_body_qp'" in unknown.reason
    # Torques go to motors unless somebody says that they do not.
    refused = put("controller", text("coulomb_lcp"))
    assert not refused.successful
    assert "may not drive motors" in refused.reason
    fixed = put("lockstep", ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=False))
    assert not fixed.successful
    assert "read at the start only" in fixed.reason
    assert [message.data for message in heard] == ["compiled", "whole_body_qp"]


def test_a_controller_that_is_not_there_is_named_at_the_start(graph: Any) -> None:
    node = graph.node("inverse_dynamics", controller="two_stage_qb")
    assert node.ends() == 2
    assert "unknown controller 'two_stage_qb'; did you mean 'two_stage_qp'" in node.output


def test_traces_run_the_law_that_drives_from_what_it_remembers_on(
    graph: Any, ear: Any, tmp_path: Path, short_story: Path
) -> None:
    verdicts = ear.hear(Verdict, "/verdict", quality.EVENT)
    arguments = (f"story:={short_story}", "pad_lockstep:=true", f"record_directory:={tmp_path}", "duration:=7.5")
    launcher = graph.launch("controller:=joint_pid", "particles:=2", *arguments)
    launcher.says("WALKING: WALK by the operator")
    assert launcher.ends() == 0, launcher.output
    assert len(verdicts) == 1
    record = read_record(Path(verdicts[0].record))
    law = record.rehearsal.snapshot.law
    assert law.name == COMPILED_JOINT_PID
    # It has stood for a second, by integrals that bear a part of the weight.
    assert np.abs(law.memory["integral"]).max() > 0.1
