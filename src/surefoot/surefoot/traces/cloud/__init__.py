# SPDX-License-Identifier: Apache-2.0
"""The cloud: perturbed copies of the robot, its ground and its start, and the noise that each of them meets."""

from surefoot.traces.cloud.draw import draw_particles
from surefoot.traces.cloud.noise import TRANSIENT_CHANNELS, transient_noise
from surefoot.traces.cloud.particles import Particles

__all__ = ["TRANSIENT_CHANNELS", "Particles", "draw_particles", "transient_noise"]
