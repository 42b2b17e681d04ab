# SPDX-License-Identifier: Apache-2.0
"""Particle traces: many perturbed copies of the robot are simulated ahead, and what becomes of them decides on a gait change."""
