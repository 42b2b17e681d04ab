# SPDX-License-Identifier: Apache-2.0
"""Signs and offsets of the servos of a robot, found by hand: in a known pose, and by turning one joint after the other."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos.dynamixel.line import Line, Stretch
from surefoot.servos.dynamixel.members import Members
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.setup import make_ready
from surefoot.settings import check_settings, read_yaml

Array = NDArray[np.float64]

LEAST_TURN, MOST_TURN = 0.1, 1.6
"""rad that a joint has to be turned by to show its sign, and beyond which it may have gone around."""

OTHERS_MOVE = 0.6
"""Times the turn of the joint in hand that another one may turn, or it is not clear which of them was meant."""

TRIES = 3

Say = Callable[[str], None]


def poses_of(model: RobotModel) -> dict[str, Array]:
    """Poses that a robot can be brought into by hand, by name: joint positions (12,), rad."""
    return {"lie": model.lie_joint_position, "stand": model.stand_joint_position, "zero": np.zeros(len(model.joint_names))}


def direction_in_words(model: RobotModel, joint: int, position: Array) -> str:
    """Which way the foot of a leg goes when one joint turns a little in its positive direction, in the axes of the base."""
    leg = joint // 3
    zero, level = np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0))
    jacobian = model.rigid_body_terms(zero, level, position, zero, zero, np.zeros(12)).foot_jacobians[leg, :, 6 + joint]
    axis = int(np.argmax(np.abs(jacobian)))
    words = (("forward", "backward"), ("to the left", "to the right"), ("up", "down"))[axis]
    return f"the foot {model.description.foot_names[leg]} moves {words[0] if jacobian[axis] > 0.0 else words[1]}"


class Calibration:
    """The servos of a robot without torque, and what they read. To be closed.

    Args:
        model: the robot.
        settings: of the line; signs and offsets in it do not count.

    Raises:
        SurefootError: the port cannot be used, or servos are missing or wrong.
    """

    def __init__(self, model: RobotModel, settings: DynamixelSettings) -> None:
        self._model, self._members = model, Members(settings, model.joint_names)
        self._line = Line(Port(settings.port, settings.baud_rate, settings.reply_time))
        try:
            make_ready(self._line, self._members, settings)
        except Exception:
            self._line.close()
            raise

    def read(self) -> Array:
        """Angles of the servos from their makers' zeros over the gear, with neither sign nor offset, (12,), rad.

        Raises:
            SurefootError: a servo does not answer.
        """
        return np.array([self._read_one(place) for place in range(len(self._members.names))])

    def close(self) -> None:
        """Let go of the line; the servos stay without torque."""
        self._line.close()

    def _read_one(self, place: int) -> float:
        table, identity = self._members.tables[place], self._members.identities[place]
        item = table.items["present_position"]
        for _ in range(TRIES):
            reply = self._line.read(table.protocol, {identity: Stretch(item.address, item.size)}).get(identity)
            if reply is not None:
                counts = table.value("present_position", reply.data, item.address)
                return float((counts - table.centre) * table.radians_per_count / self._members.transmission.gear[place])
        raise SurefootError(f"{self._members.label(place)} does not say its position; look at its cable")


def sign_of(names: Sequence[str], joint: int, before: Array, after: Array) -> tuple[int, str]:
    """Sign of a servo whose joint was turned in its positive direction; 0 and what to do differently where that cannot be told.

    Args:
        names: of the joints.
        joint: that was to be turned.
        before, after: readings, (12,), rad.
    """
    turned = after - before
    own, size = turned[joint], np.abs(turned)
    if not LEAST_TURN <= abs(own) <= MOST_TURN:
        return 0, f"{names[joint]} turned {own:+.2f} rad; turn it by {LEAST_TURN:.1f} to {MOST_TURN:.1f} rad"
    other = int(np.argmax(np.where(np.arange(len(size)) == joint, -1.0, size)))
    if size[other] > OTHERS_MOVE * abs(own):
        return 0, f"{names[other]} turned {turned[other]:+.2f} rad as well; hold it, and turn {names[joint]} alone"
    return (1 if own > 0.0 else -1), ""


def guide(
    model: RobotModel, read: Callable[[], Array], pose: Array, pose_name: str, say: Say, ask: Say
) -> dict[str, tuple[int, float]]:
    """Lead a person through it, step by step.

    Args:
        model: the robot.
        read: gives readings as `Calibration.read`.
        pose: that the robot is brought into first, (12,), rad.
        pose_name: its name.
        say: tells something.
        ask: tells something, and comes back once the person has done it.

    Returns:
        Sign and offset of each joint by name.

    Raises:
        SurefootError: a joint shows no sign in three tries, or a servo does not answer.
    """
    names = model.joint_names
    say(f"The servos have no torque now. Hold the robot, and bring it into its pose '{pose_name}':")
    for name, angle in zip(names, pose, strict=True):
        say(f"  {name}: {angle:+.3f} rad ({np.rad2deg(angle):+.1f} degrees)")
    ask("Is it there? The offsets will be as exact as this pose.")
    before = read()
    found = {}
    for joint, name in enumerate(names):
        sign = 0
        for _ in range(TRIES):
            start = read()
            ask(f"Turn {name}, and nothing else, by 10 to 60 degrees so that {direction_in_words(model, joint, pose)}, and keep it there.")
            sign, problem = sign_of(names, joint, start, read())
            if sign:
                break
            say(problem)
        if not sign:
            raise SurefootError(f"{name} showed no sign in {TRIES} tries; is its id the right one? Nothing is written")
        found[name] = sign, float(pose[joint] - sign * before[joint])
        say(f"{name}: sign {sign:+d}, offset {found[name][1]:+.4f} rad")
    return found


def write_calibrated(file: Path, target: Path, found: dict[str, tuple[int, float]], model: RobotModel) -> Path | None:
    """Write a bus file with other signs and offsets; where there was one, it is kept beside it.

    Args:
        file: that everything else is taken from.
        target: to write.
        found: sign and offset by joint.
        model: the robot, whose limits the servos have to reach.

    Returns:
        Where the old file is now; None where there was none.

    Raises:
        ConfigurationError: with these numbers a servo cannot reach the limits of its joint; nothing is written.
    """
    values = read_yaml(file)
    for name, (sign, offset) in found.items():
        values["joints"][name] |= {"sign": sign, "offset": round(offset, 5)}
    settings = check_settings(DynamixelSettings, values, str(target))
    Members(settings, model.joint_names).check_range(model.position_lower, model.position_upper)
    kept = None
    if target.exists():
        kept = next(path for number in range(1, 1000) if not (path := target.with_name(f"{target.name}.{number}")).exists())
        target.rename(kept)
    try:
        target.write_text(f"# Signs and offsets were found by surefoot servos calibrate.\n{yaml.safe_dump(values, sort_keys=False)}")
    except OSError as error:
        raise ConfigurationError(f"{target} cannot be written: {error.strerror}; the old one is {kept or 'as it was'}") from error
    return kept
