# SPDX-License-Identifier: Apache-2.0
"""The parameters of every node: what a launch file may give it, with type, range and meaning. Nothing of ROS is needed to read this file.

A parameter is read when its node starts, and setting it later is refused, except for those that are Live.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.fields import FieldInfo

from surefoot.settings import Settings

PATIENCE = Annotated[float, Field(gt=0.0)]


class Live:
    """Marks a parameter that can be set while its node runs."""


class NodeParameters(Settings):
    """Those that every node has."""

    model_config = ConfigDict(strict=True)

    robot: str = "hyq"
    """A name in config/robots, or a path to a robot.yaml."""
    lockstep: bool = True
    """One tick at a time, whatever the load of the machine; false: as fast as messages come."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of everything that is drawn at random."""
    slow_motion: Annotated[float, Field(gt=0.0, le=1000.0)] = 1.0
    """Seconds of the wall for each second of the stamps, where running free a simulation is slower than the world. A node of a stack that
    moves motors refuses it: silence would be noticed so many times later."""


class SimulatorParameters(NodeParameters):
    """Of the simulated robot."""

    world: str = "flat"
    """A name in config/worlds, or a path."""
    motors: str = ""
    """A name in config/motors, or a path: what its motors can do; empty: whatever is asked for, inside of their effort limits."""
    duration: Annotated[float, Field(ge=0.0)] = 0.0
    """Simulated time after which the simulator writes what happened and ends, s; 0: never."""
    record_directory: str = ""
    """Where it writes run.npz at its end; empty: nowhere."""
    patience: PATIENCE = 60.0
    """Time of the wall in lockstep after which a tick goes on without its command, s. A tick that waits for a verdict waits as long as the
    gait planner does."""


class GaitPlannerParameters(NodeParameters):
    """Of the gait planner."""

    particles: Annotated[int, Field(ge=0)] = 0
    """Of each candidate of a gait change at the first look; 0: as config/decision.yaml says."""
    deadline: Annotated[float, Field(ge=0.0)] = 0.0
    """Time of the wall after which silence is a veto, s; 0: as config/decision.yaml says, and ten times that in lockstep, where nobody
    waits but the simulator and no answer may depend on the load of the machine."""
    latency: Annotated[float, Field(ge=0.0, le=60.0)] = 0.0
    """Time of the robot that a verdict is given before it counts, s; 0: as config/decision.yaml says."""


class InverseDynamicsParameters(NodeParameters):
    """Of the controller."""

    controller: Annotated[str, Live] = "compiled"
    """That drives the robot: a compiled or a readable one of docs/controllers.md, with feedback as in joint_pid+stabiliser. A change goes
    in bounded steps of torque; one that may not drive motors is refused on hardware."""
    controller_every: Annotated[int, Field(ge=1)] = 1
    """A readable controller is asked at every n-th tick only."""
    hardware: bool = True
    """Whether the torques go to motors: some controllers are for simulation only."""


class ServoBridgeParameters(NodeParameters):
    """Of the last gate before the motors."""

    bus: str = "topic"
    """That the servos hang on: topic, or a bus of docs/buses.md."""
    bus_file: str = ""
    """A name in config/buses, or a path: the settings of that bus. Empty for topic: the pair /joint_states and /joint_command."""
    patience: PATIENCE = 10.0
    """Time of the wall in lockstep after which a tick goes on without the message that is missing, s. A tick that waits for a verdict is
    given its whole deadline."""


class ParticleTraceParameters(NodeParameters):
    """Of the rehearsals."""

    record_directory: str = ""
    """Where decision records go; empty: none are written."""
    workers: Annotated[int, Field(ge=1, le=256)] = 2
    """How many processes trace."""
    uncertainty: str = "default"
    """Name of a file in config/uncertainty."""
    motors: str = ""
    """A name in config/motors, or a path: what the motors of the believed robot can do; empty: as that file says."""


class TeleopParameters(NodeParameters):
    """Of the operator's one door. The gait that runs is parameters of it as well: see below."""

    layout: str = ""
    """Of the pad, a name in config/gamepads; empty: the one that a pad names, or as config/teleop.yaml says for one that names none."""
    cmd_vel_stamped: bool = True
    """/cmd_vel is a TwistStamped, as everywhere since Jazzy; false: a Twist."""
    pad_lockstep: bool = False
    """Each tick waits for a /joy message of its own; for a scripted pad, which sends one a tick."""


class GamepadParameters(NodeParameters):
    """Of the gamepad that is plugged in."""

    layout: str = ""
    """That the pad must have, a name in config/gamepads; empty: whichever of them it has."""
    repeat_rate: Annotated[float, Field(gt=0.0, le=1000.0)] = 20.0
    """At which a pad that does not change is repeated, Hz."""


class ScriptedPadParameters(NodeParameters):
    """Of the gamepad that plays a story."""

    story: str = "demo"
    """A name in config/stories, or a path."""


class NarratorParameters(NodeParameters):
    """Of who tells what happens."""

    story: str = ""
    """Of the scripted gamepad, whose words are told as well; empty: there is none, and the operator is told what to do next."""
    layout: str = ""
    """Of the gamepad whose buttons are named then; empty: that of an Xbox pad."""
    record_directory: str = ""
    """Where story.jsonl is written; empty: nowhere."""


class PathFollowerParameters(NodeParameters):
    """Of who walks along a path."""

    speed: Annotated[float, Field(gt=0.0)] = 0.3
    """Forward, m/s."""
    turn_rate: Annotated[float, Field(gt=0.0)] = 0.4
    """The largest, rad/s."""
    near: Annotated[float, Field(ge=0.0)] = 0.0
    """Distance at which a waypoint counts as reached, m; 0: half the height at which the robot stands."""
    again: bool = False
    """After the last waypoint, begin with the first."""


class RecorderParameters(NodeParameters):
    """Of the recorder."""

    directory: str = "bags"
    """Where bags go; each gets a folder of its own, named after the robot and the time."""
    bag: str = ""
    """The folder of the bag itself, in place of directory; where it exists, as after a restart, the next free one: bag_1, bag_2, …"""
    split_megabytes: Annotated[float, Field(gt=0.0)] = 1024.0
    """Size at which the next file of the bag begins, MB."""
    keep_free_megabytes: Annotated[float, Field(ge=0.0)] = 256.0
    """Free space of the disk at which the recording stops, MB."""


class ReplayerParameters(NodeParameters):
    """Of the bag in the place of a robot."""

    bag: str = ""
    """Folder or file; has to be given."""
    nodes: str = ""
    """That are fed from the bag, with commas between; what they say goes out under /replay. Empty: none."""
    speed: Annotated[float, Field(ge=0.0), Live] = 1.0
    """Times real time; 0: as fast as it goes."""
    loop: Annotated[bool, Live] = False
    """Begin again at the end; else end there."""
    paused: Annotated[bool, Live] = False
    """Wait for the first word on /replay_control."""
    clock_hz: Annotated[float, Field(gt=0.0, le=10000.0)] = 100.0
    """Rate of /clock, Hz."""
    topic_map: str = ""
    """A YAML file with the topics of another robot; empty: they are ours."""
    listeners: str = ""
    """Nodes that may hear the bag beside viewers and recorders, with commas between; * stands for anything."""
    keys: bool = False
    """Read keys from this terminal."""


class ViewParameters(NodeParameters):
    """Of the page in the browser."""

    host: str = "127.0.0.1"
    """Address to serve on; 127.0.0.1: this machine only."""
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    """0: 8080 or, where that is taken, a free one."""
    commands: Literal["auto", "on", "off"] = "auto"
    """Who may command from the page. auto: this machine only; on: others too, with a token; off: nobody."""
    pad: bool = True
    """Whether there is an on-screen gamepad."""
    token: str = ""
    """To be shown before commanding from elsewhere; empty: one is made up."""
    world: str = ""
    """Name or path of the ground, where it is known; empty: it is not."""


class MarkersParameters(NodeParameters):
    """Of what the page shows, as markers."""

    world: str = ""
    """Name or path of the ground, where it is known; empty: it is not."""


NODES: dict[str, type[NodeParameters]] = {
    "simulator": SimulatorParameters,
    "state_estimator": NodeParameters,
    "gait_planner": GaitPlannerParameters,
    "inverse_dynamics": InverseDynamicsParameters,
    "servo_bridge": ServoBridgeParameters,
    "particle_trace": ParticleTraceParameters,
    "teleop": TeleopParameters,
    "gamepad": GamepadParameters,
    "keyboard": NodeParameters,
    "scripted_pad": ScriptedPadParameters,
    "narrator": NarratorParameters,
    "path_follower": PathFollowerParameters,
    "recorder": RecorderParameters,
    "replayer": ReplayerParameters,
    "view": ViewParameters,
    "markers": MarkersParameters,
}
"""By the name of the executable."""


def is_live(field: FieldInfo) -> bool:
    """Whether a parameter can be set while its node runs."""
    return Live in field.metadata
