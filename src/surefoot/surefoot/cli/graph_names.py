# SPDX-License-Identifier: Apache-2.0
"""The robots, worlds, buses, controllers, stories, bags, … that parameters name: each kind is looked up by whoever reads it in the node."""

from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.estimation.settings import EstimatorSettings
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.settings import PlannerSettings
from surefoot.inverse_dynamics.feedback import split_feedback
from surefoot.inverse_dynamics.selector import controller_names, reason_against_hardware
from surefoot.nodes.parameters import (
    InverseDynamicsParameters,
    NodeParameters,
    ParticleTraceParameters,
    RecorderParameters,
    ReplayerParameters,
    ServoBridgeParameters,
)
from surefoot.recording.reader import Bag
from surefoot.recording.topic_map import read_topic_map
from surefoot.robot.load import load_robot
from surefoot.robot.locate import find_configuration, shared_directory
from surefoot.robot.model import RobotModel
from surefoot.servos.buses import buses_of, check_bus
from surefoot.servos.motors.settings import MotorSettings
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import Settings, read_settings
from surefoot.teleop.layout import read_layout
from surefoot.teleop.script import find_story, read_story
from surefoot.teleop.settings import OperatorSettings
from surefoot.terrain.belief import read_grounds
from surefoot.terrain.world import find_world, read_world
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.decision.settings import DecisionSettings

FILES: dict[str, tuple[tuple[str, type[Settings]], ...]] = {
    "state_estimator": (("estimator.yaml", EstimatorSettings),),
    "gait_planner": (("gait_planner.yaml", PlannerSettings), ("decision.yaml", DecisionSettings)),
    "servo_bridge": (("servo_bridge.yaml", BridgeSettings),),
    "particle_trace": (("decision.yaml", DecisionSettings), ("gait_planner.yaml", PlannerSettings)),
    "teleop": (("teleop.yaml", OperatorSettings), ("gait_planner.yaml", PlannerSettings)),
    "scripted_pad": (("teleop.yaml", OperatorSettings),),
}
"""Files of config/ that a node reads whatever it is given."""


def check_given(executable: str, given: NodeParameters, named: Collection[str]) -> None:
    """Look up what one node is given by name.

    Args:
        executable: of the node.
        given: its parameters.
        named: those of them that are not left to their defaults.

    Raises:
        SurefootError: saying what cannot be used, and what would be right.
    """
    model = _robot(given.robot)
    for name, kind in FILES.get(executable, ()):
        read_settings(kind, _config() / name)
    values = given.model_dump()
    for name, look in _BY_PARAMETER.items():
        if values.get(name):
            look(str(values[name]))
    if (check := _BY_NODE.get(executable)) is not None:
        check(given, named, model)


@lru_cache(maxsize=8)
def _robot(name: str) -> RobotModel:
    """A robot, and the gaits that it names."""
    model = load_robot(name)
    gaits_of(model)
    return model


def _config() -> Path:
    return shared_directory() / "config"


_BY_PARAMETER: dict[str, Callable[[str], Any]] = {
    "world": lambda name: read_world(find_world(name)),
    "motors": lambda name: read_settings(MotorSettings, find_configuration("motors", "motors", name)),
    "story": lambda name: read_story(find_story(name)),
    "layout": lambda name: read_layout(_config() / "gamepads", name),
    "topic_map": lambda name: read_topic_map(Path(name)),
}
"""What a parameter of this name names in whatever node."""


def _particle_trace(given: ParticleTraceParameters, named: Collection[str], model: RobotModel) -> None:
    known = {path.stem: path for path in (_config() / "uncertainty").glob("*.yaml")}
    if given.uncertainty not in known:
        raise UnknownNameError("uncertainty", given.uncertainty, known)
    read_uncertainty(known[given.uncertainty])


def _gait_planner(given: NodeParameters, named: Collection[str], model: RobotModel) -> None:
    read_grounds(_config() / "terrain" / "grounds.yaml")


def _inverse_dynamics(given: InverseDynamicsParameters, named: Collection[str], model: RobotModel) -> None:
    names = (InverseDynamicsParameters().controller, *controller_names())
    controller, _ = split_feedback(given.controller)
    if controller not in names:
        raise UnknownNameError("controller", controller, names)
    if given.hardware and (reason := reason_against_hardware(controller)):
        raise ConfigurationError(f"controller '{controller}' may not drive motors: {reason}")


def _servo_bridge(given: ServoBridgeParameters, named: Collection[str], model: RobotModel) -> None:
    if given.bus_file and "bus" not in named:
        fitting = " or bus:=".join(buses_of(given.bus_file)) or "(a bus of another package)"
        raise ConfigurationError(f"bus_file '{given.bus_file}' is given without a bus; with it goes bus:={fitting}")
    check_bus(given.bus, model, given.bus_file)


def _recorder(given: RecorderParameters, named: Collection[str], model: RobotModel) -> None:
    if given.bag and Path(given.bag).expanduser().exists():
        raise ConfigurationError(f"{given.bag} exists already; a bag is never written over: name another folder, or remove it")
    folder = Path(given.directory).expanduser()
    if not given.bag and folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{given.directory}, where bags are to go, is not a folder")


def _replayer(given: ReplayerParameters, named: Collection[str], model: RobotModel) -> None:
    if not given.bag:
        raise ConfigurationError("which bag? Give bag:=FOLDER")
    Bag(Path(given.bag).expanduser())
    if given.nodes:
        from surefoot.nodes.replay.session import REPLAYABLE

        for name in filter(None, map(str.strip, given.nodes.split(","))):
            if name not in REPLAYABLE:
                raise UnknownNameError("node to replay", name, REPLAYABLE)


_BY_NODE: dict[str, Callable[[Any, Collection[str], RobotModel], None]] = {
    "particle_trace": _particle_trace,
    "gait_planner": _gait_planner,
    "inverse_dynamics": _inverse_dynamics,
    "servo_bridge": _servo_bridge,
    "recorder": _recorder,
    "replayer": _replayer,
}
