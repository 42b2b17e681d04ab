# SPDX-License-Identifier: Apache-2.0
"""What a simulated robot really did, tick by tick: run.npz."""

import math
import zipfile
import zlib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

FILE_NAME = "run.npz"

NOTHING: Array = np.zeros((0, 12))
"""In the place of targets that nobody wrote down."""
_LATER = {"wall_seconds", "joint_target"}
"""What runs of before do not have."""

_COLUMNS: dict[str, tuple[int, ...]] = {
    "time": (),
    "base_position": (3,),
    "base_quaternion": (4,),
    "base_linear_velocity": (3,),
    "base_angular_velocity": (3,),
    "joint_position": (12,),
    "joint_velocity": (12,),
    "joint_effort": (12,),
    "joint_target": (12,),
    "foot_load": (4,),
    "body_contact": (),
    "command_latency": (),
}


@dataclass(frozen=True)
class Run:
    """The truth of a simulation, n ticks long. Joints and feet are in the order of the robot's description.

    Attributes:
        robot, world: names or paths.
        seed: of the simulation.
        period: s between ticks.
        trajectory_sha256: hash of the joint trajectories.
        ticks_without_command: ticks at which no servo command came in time.
        time: simulated, strictly increasing, (n,), s.
        base_position: in the world, (n, 3), m.
        base_quaternion: world_from_base, x y z w, (n, 4).
        base_linear_velocity, base_angular_velocity: in the axes of the world, (n, 3), m/s and rad/s.
        joint_position, joint_velocity, joint_effort: (n, 12), rad, rad/s, N m.
        joint_target: that the servos are asked for in answer to this tick, (n, 12), rad; NaN where they are asked for none, or where
            nobody wrote it down.
        foot_load: normal force of the ground on each foot, (n, 4), N.
        body_contact: whether anything but a foot touches the ground, (n,).
        command_latency: wall time from publishing a sensor sample to receiving its servo command, NaN where none came, (n,), s.
        wall_seconds: how long the simulation took on the clock of the wall; NaN where nobody measured it.
    """

    robot: str
    world: str
    seed: int
    period: float
    trajectory_sha256: str
    ticks_without_command: int
    time: Array
    base_position: Array
    base_quaternion: Array
    base_linear_velocity: Array
    base_angular_velocity: Array
    joint_position: Array
    joint_velocity: Array
    joint_effort: Array
    foot_load: Array
    body_contact: NDArray[np.bool_]
    command_latency: Array
    wall_seconds: float = math.nan
    joint_target: Array = field(default_factory=lambda: NOTHING)

    def __post_init__(self) -> None:
        """Check shapes and time.

        Raises:
            ConfigurationError: an array has a wrong shape, the run is empty, or time does not increase.
        """
        count = len(self.time)
        if self.joint_target is NOTHING:
            object.__setattr__(self, "joint_target", np.full((count, 12), math.nan))
        for name, shape in _COLUMNS.items():
            given = getattr(self, name).shape
            if given != (count, *shape):
                raise ConfigurationError(f"run: {name} has shape {given}; with {count} times it must be {(count, *shape)}")
        if count == 0:
            raise ConfigurationError("run: no tick was recorded; the simulator stopped before its first step")
        backwards = int((~(np.diff(self.time) > 0.0)).sum())
        if backwards:
            raise ConfigurationError(f"run: time must increase from tick to tick; {backwards} times it does not")

    @property
    def simulated_seconds(self) -> float:
        """From the first to the last tick, s."""
        return float(self.time[-1] - self.time[0])

    def write(self, path: Path) -> None:
        """Write the run; the file is complete or not there at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        values: dict[str, Any] = {item.name: np.asarray(getattr(self, item.name)) for item in fields(self)}
        with partial.open("wb") as file:
            np.savez_compressed(file, **values)
        partial.replace(path)


def read_run(path: Path) -> Run:
    """Read a run.

    Raises:
        ConfigurationError: the file is missing, cut, or not a run.
    """
    if not path.is_file():
        raise ConfigurationError(
            f"no such run: {path}; the simulator writes it when it stops. Give a folder that holds one, such as report/run after "
            "./surefoot demo, or a bag"
        )
    try:
        with np.load(path, allow_pickle=False) as stored:
            values: dict[str, Any] = {name: stored[name] for name in stored.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ConfigurationError(f"{path} is cut or is not a run: {error}; record the run again") from error
    known = {item.name for item in fields(Run)}
    missing = known - set(values) - _LATER
    if missing:
        raise ConfigurationError(f"{path} is not a whole run: {', '.join(sorted(missing))} missing; record the run again")
    values = {name: value.item() if value.ndim == 0 else value for name, value in values.items() if name in known}
    return Run(**values)
