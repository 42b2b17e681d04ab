# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import ConfigurationError
from surefoot.robot.locate import shared_directory
from surefoot.servos.motors.settings import GearSettings, MotorSettings
from surefoot.settings import check_settings, read_settings


@pytest.mark.parametrize("path", sorted((shared_directory() / "config" / "motors").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_file_is_read_and_says_something(path: object) -> None:
    assert read_settings(MotorSettings, path) != MotorSettings()  # type: ignore[arg-type]


def test_a_gear_of_which_nothing_is_said_is_ideal() -> None:
    assert GearSettings().losses == (0.0, 0.0)
    assert GearSettings().reflected_inertia is None
    assert MotorSettings().joint_torque_per_ampere == MotorSettings().torque_per_ampere


def test_efficiencies_are_shares_of_the_power() -> None:
    forward, backward = GearSettings(efficiency=0.8, efficiency_backward=0.7).losses
    assert (1.0 - forward, 1.0 / (1.0 + backward)) == pytest.approx((0.8, 0.7))
    forward, backward = GearSettings(efficiency=0.8).losses
    assert backward == forward, "the same friction"
    assert 1.0 / (1.0 + backward) == pytest.approx(1.0 / (2.0 - 0.8))


def test_a_rotor_is_felt_by_the_square_of_the_ratio() -> None:
    assert GearSettings(ratio=300.0, rotor_inertia=1e-7).reflected_inertia == pytest.approx(0.009)


def test_a_gear_needs_the_constant_of_its_motor() -> None:
    with pytest.raises(ConfigurationError, match="torque_per_ampere: beside a gear of 300 that of the motor itself is needed"):
        check_settings(MotorSettings, {"gear": {"ratio": 300.0}}, "here")
    assert check_settings(MotorSettings, {"gear": {"ratio": 300.0}, "torque_per_ampere": 0.006}, "here").joint_torque_per_ampere == 1.8
    with pytest.raises(ConfigurationError, match=r"gear\.efficiency_backward"):
        check_settings(MotorSettings, {"gear": {"efficiency_backward": 0.0}}, "here")
