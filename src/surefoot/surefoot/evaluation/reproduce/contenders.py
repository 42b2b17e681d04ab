# SPDX-License-Identifier: Apache-2.0
"""The controllers that the experiments compare, by our names and by those of [Zapolsky and Drumwright 2016, section 7.3]."""

from collections.abc import Callable
from dataclasses import dataclass

from surefoot.inverse_dynamics.controller import Controller
from surefoot.inverse_dynamics.feedback import FEEDBACK_NAMES, WithFeedback, make_feedback
from surefoot.inverse_dynamics.selector import make_controller
from surefoot.robot.model import RobotModel


@dataclass(frozen=True)
class Contender:
    """A controller of the comparison.

    Attributes:
        name: ours.
        paper: the source's; empty for one that it does not have.
        predicts: whether it predicts contact forces.
        make: makes it for a robot.
    """

    name: str
    paper: str
    predicts: bool
    make: Callable[[RobotModel], Controller]


def _selected(name: str, paper: str, predicts: bool = True) -> Contender:
    return Contender(name, paper, predicts, lambda model: make_controller(name, model))


def _joint_pid(model: RobotModel) -> Controller:
    return WithFeedback(model, make_controller("joint_pid", model), [make_feedback(name, model) for name in FEEDBACK_NAMES])


CONTENDERS = (
    _selected("two_stage_qp", "ID(t_i) QP,mu"),
    _selected("two_stage_qp_no_slip", "ID(t_i) QP,inf"),
    _selected("coulomb_lcp", "ID(t_i) LCP,mu"),
    _selected("no_slip_lcp", "ID(t_i) LCP,inf"),
    Contender("joint_pid", "PID", False, _joint_pid),
    _selected("sensed_contact", "ID(t_i-1)", predicts=False),
    _selected("sensed_contact_2", "ID(t_i-2)", predicts=False),
)
"""The seven of the waypoint trot. As in the source, PID has operational-space feedback and a stabiliser with it."""

NO_SLIP_PEER = _selected("orthogonal_decomposition", "no-slip ID of Mistry et al.")
"""Whom [Zapolsky et al. 2013] compare with."""
