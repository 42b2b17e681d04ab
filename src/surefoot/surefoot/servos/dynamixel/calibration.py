# SPDX-License-Identifier: Apache-2.0
"""Signs and offsets of the servos of a robot, found by hand: in a known pose, and by turning one joint after the other."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos.dynamixel.line import Line, Stretch
from surefoot.servos.dynamixel.members import Members
from surefoot.servos.dynamixel.port import Port, check_port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.setup import make_ready

Array = NDArray[np.float64]

LEAST_TURN, MOST_TURN = 0.1, 1.6
"""rad that a joint has to be turned by to show its sign, and beyond which it may have gone around."""

OTHERS_MOVE = 0.6
"""Times the turn of the joint in hand that another one may turn, or it is not clear which of them was meant."""

TRIES = 3

ASTRAY = 0.02
"""rad from its place in the pose at which a joint is named as being elsewhere."""

CLEAR = 0.5
"""Share of the way of a foot that has to go along an axis of the base, so that turns of 10 to 60 degrees can be told by it."""

Say = Callable[[str], None]


def poses_of(model: RobotModel) -> dict[str, Array]:
    """Poses that a robot can be brought into by hand, by name: joint positions (12,), rad."""
    return {"lie": model.lie_joint_position, "stand": model.stand_joint_position, "zero": np.zeros(len(model.joint_names))}


def direction_in_words(model: RobotModel, joint: int, *positions: Array, way: int = 1) -> str:
    """Which way the foot of a leg goes when one joint turns, in the axes of the base.

    Args:
        model: the robot.
        joint: its place.
        positions: joint positions in which the robot may be, (12,), rad.
        way: 1 for a turn in its positive direction, -1 for the other.

    Returns:
        Words that hold in all of them; empty where none do.
    """
    leg = joint // 3
    ways = way * np.array([model.foot_jacobians_in_base(position)[leg, :, joint - 3 * leg] for position in positions])
    shares = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
    signs = np.where((shares > 0.0).all(axis=0), 1.0, -1.0)
    clarity = (signs * shares).min(axis=0)
    axis = int(np.argmax(clarity))
    if clarity[axis] < CLEAR:
        return ""
    words = (("forward", "backward"), ("to the left", "to the right"), ("up", "down"))[axis]
    return f"the foot {model.description.foot_names[leg]} moves {words[0] if signs[axis] > 0.0 else words[1]}"


def check(model: RobotModel, settings: DynamixelSettings) -> None:
    """Look at all that `Calibration` needs, while the servos still have their torque; nothing is said to them.

    Raises:
        ConfigurationError: joints or tables are not those of the robot, or the port cannot be used.
    """
    Members(settings, model.joint_names, model.effort_limit)
    check_port(settings.port)


class Calibration:
    """The servos of a robot without torque, and what they read. To be closed.

    Args:
        model: the robot.
        settings: of the line; signs and offsets in it do not count.

    Raises:
        SurefootError: the port cannot be used, or servos are missing or wrong.
    """

    def __init__(self, model: RobotModel, settings: DynamixelSettings) -> None:
        self._model, self._members = model, Members(settings, model.joint_names, model.effort_limit)
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
        SurefootError: a joint shows no sign in three tries or moves no foot, or a servo does not answer.
    """
    names = model.joint_names
    say(f"The servos have no torque now. Hold the robot, and bring it into its pose '{pose_name}':")
    for name, angle in zip(names, pose, strict=True):
        say(f"  {name}: {angle:+.3f} rad ({np.rad2deg(angle):+.1f} degrees)")
    ask("Is it there? The offsets will be as exact as this pose.")
    before = read()
    found: dict[str, tuple[int, float]] = {}
    for joint, name in enumerate(names):
        sign = 0
        # There may be no room in the other direction: in many a pose knees are near the end of theirs.
        way = 1 if model.position_upper[joint] - pose[joint] >= pose[joint] - model.position_lower[joint] else -1
        for _ in range(TRIES):
            start = read()
            words, astray = _direction_now(model, joint, way, pose, start - before, start, found)
            if not words and not astray:
                raise SurefootError(f"{name} does not move its foot from where it is; begin anew with another --pose. Nothing is written")
            if not words:
                ask(f"Bring {' and '.join(astray)} back to where the pose '{pose_name}' has them.")
                start = read()
                words, astray = _direction_now(model, joint, way, pose, start - before, start, found)
            if not words:
                say(f"{' and '.join(astray)} stand elsewhere than in the pose '{pose_name}', so it is not known which way to turn {name}")
                continue
            ask(f"Turn {name}, and nothing else, by 10 to 60 degrees so that {words}, and keep it there.")
            turned, problem = sign_of(names, joint, start, read())
            sign = way * turned
            if sign:
                break
            say(problem)
        if not sign:
            raise SurefootError(f"{name} showed no sign in {TRIES} tries; is its id the right one? Nothing is written")
        found[name] = sign, float(pose[joint] - sign * before[joint])
        say(f"{name}: sign {sign:+d}, offset {found[name][1]:+.4f} rad")
    return found


def _direction_now(
    model: RobotModel, joint: int, way: int, pose: Array, turned: Array, reading: Array, found: dict[str, tuple[int, float]]
) -> tuple[str, list[str]]:
    """Words for a turn from where the leg is now, and joints that are in their way: away from the pose, nobody knows to which side."""
    names, now = model.joint_names, pose.copy()
    for place, (sign, offset) in enumerate(found.values()):
        now[place] = sign * reading[place] + offset
    leg = slice(joint // 3 * 3, joint // 3 * 3 + 3)
    unknown = [place for place in range(leg.start, leg.stop) if names[place] not in found]
    positions = []
    for sides in product((-1.0, 1.0), repeat=len(unknown)):
        possible = now.copy()
        possible[unknown] += np.array(sides) * turned[unknown]
        positions.append(possible)
    return direction_in_words(model, joint, *positions, way=way), [names[place] for place in unknown if abs(turned[place]) > ASTRAY]
