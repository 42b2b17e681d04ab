# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.robot.model import RobotModel
from surefoot.traces.cloud import draw_particles
from surefoot.traces.cloud.catalogue import PERSISTENT, drawn_count
from surefoot.traces.cloud.uncertainty import Uncertainty


def test_every_scalar_has_a_name_of_its_own(hyq: RobotModel, uncertainty: Uncertainty, walk) -> None:
    particles = draw_particles(hyq, uncertainty, walk.snapshot, 7, np.arange(3))
    names, values = particles.named()
    assert len(names) == len(set(names)) == drawn_count(PERSISTENT)
    assert values.shape == (3, len(names))
    for name, expected in (
        ("friction", particles.friction), ("link_mass RF shin", particles.link_mass[:, 5]),
        ("foot_friction RH", particles.foot_friction[:, 3]), ("joint_axis LF thigh 2", particles.joint_axis[:, 1, 1]),
        ("base_rate z", particles.base_rate[:, 2]),
        ("slope y", particles.slope[:, 1]), ("contact_model", particles.contact_model),
    ):  # fmt: skip
        assert np.array_equal(values[:, names.index(name)], expected), name
