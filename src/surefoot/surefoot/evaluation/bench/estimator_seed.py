# SPDX-License-Identifier: Apache-2.0
"""One seed of the bench of the estimator: a walk of its own, sensors that are spoilt in its way, and what each filter says of them."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from surefoot.errors import SurefootError
from surefoot.estimation.settings import EstimatorSettings
from surefoot.evaluation.estimator_runs import Track, run_estimator, run_plain
from surefoot.evaluation.invariant_filter import InvariantFilter
from surefoot.evaluation.leg_odometry import LegOdometry
from surefoot.evaluation.sensor_faults import Arrival, SensorFaults, read_sensor_faults, spoil
from surefoot.evaluation.sensor_stream import SensorStream, record_walk
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.settings import read_settings

STANDING = 3.0
"""s before the walk, in which the robot stands and the filters start."""

LATER_START = 0.5
"""s, by up to which a seed hears the standing robot from a later moment on: a bit more than one cycle of a trot, so that at one instant
after their start the seeds are at different points of it. A mean over runs that all step at once would show each step, not the filter."""

SPEED, TURN_RATE, TURN_PERIOD = (0.2, 0.4), (0.2, 0.6), (15.0, 25.0)
"""Between which a seed's walk goes forward, m/s, turns at most, rad/s, to one side or the other first, and swings from side to side, s."""

OURS, NO_STAMPS, NO_DELAY = "ours", "ours, without delay handling", "ours, sensors without delay"
ODOMETRY, INVARIANT = "leg odometry and complementary filter", "contact-aided invariant filter"
ODOMETRY_NO_DELAY, INVARIANT_NO_DELAY = f"{ODOMETRY}, sensors without delay", f"{INVARIANT}, sensors without delay"
RUNS = (OURS, NO_STAMPS, NO_DELAY, ODOMETRY, ODOMETRY_NO_DELAY, INVARIANT, INVARIANT_NO_DELAY)
WITHOUT_DELAY = (NO_DELAY, ODOMETRY_NO_DELAY, INVARIANT_NO_DELAY)


@cache
def estimator_settings() -> EstimatorSettings:
    """As configured, for the instant at which the truth is known."""
    configured = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
    return configured.model_copy(update={"window": configured.window.model_copy(update={"lead": 0.0})})


def walk_of_seed(model: RobotModel, seconds: float, seed: int) -> SensorStream:
    """Standing and then so many seconds of trot with turns, as fast and as sharp as the seed says.

    Walks differ, because what feet do on one walk is the same for all who hear it: the mean over runs of one walk shows that walk.

    Raises:
        SurefootError: the robot fell.
    """
    draw = np.random.default_rng((seed, 1))
    speed, turn_rate, turn_period = draw.uniform(*SPEED), draw.uniform(*TURN_RATE) * draw.choice((-1.0, 1.0)), draw.uniform(*TURN_PERIOD)
    walk = record_walk(model, seconds, speed=speed, standing=STANDING, turn_rate=turn_rate, turn_period=turn_period)
    walked = float(walk.time[-1]) - STANDING
    if walked < seconds - LATER_START:
        raise SurefootError(
            f"{model.description.name} fell after {walked:.1f} s of seed {seed}'s walk, a trot at {speed:.2f} m/s with turns of "
            f"{abs(turn_rate):.2f} rad/s; the bench needs a robot whose gait set has a trot that does not fall there"
        )
    period = float(walk.time[1] - walk.time[0])
    longest = round(LATER_START / period)
    return walk.part(int(draw.integers(0, longest)), len(walk.time) - longest)


def run_seed(robot: str, sensors: str, seconds: float, seed: int, names: Sequence[str]) -> dict[str, Track]:
    """What filters of RUNS say on one seed.

    Args:
        robot: name or path.
        sensors: a name in config/sensors, or a path.
        seconds: of walking.
        seed: 0, 1, ...
        names: of the filters, as in RUNS.

    Raises:
        SurefootError: the robot fell.
    """
    model, faults = load_robot(robot), read_sensor_faults(sensors)
    stream = walk_of_seed(model, seconds, seed)
    late, prompt = (spoil(stream, one, seed) for one in (faults, faults.without_delay()))
    return {name: _run(name, model, faults, stream, prompt if name in WITHOUT_DELAY else late) for name in names}


def _run(name: str, model: RobotModel, faults: SensorFaults, stream: SensorStream, arrivals: list[Arrival]) -> Track:
    settings = estimator_settings()
    if name in (OURS, NO_STAMPS, NO_DELAY):
        return run_estimator(model, settings, faults, stream, arrivals, use_stamps=name != NO_STAMPS)
    plain: InvariantFilter | LegOdometry
    if name in (ODOMETRY, ODOMETRY_NO_DELAY):
        plain = LegOdometry(model, stream.joint_position[0])
    else:
        walk = settings.filter.foot_walk * model.description.stand_height
        plain = InvariantFilter(model, faults, stream.joint_position[0], walk, settings.filter.foot_standard_deviation)
    return run_plain(model, settings, stream, arrivals, plain)
