# SPDX-License-Identifier: Apache-2.0
"""Surefoot: a ROS 2 control stack for quadruped robots that rehearses each gait change before it takes it."""

__version__ = "0.1.0"
