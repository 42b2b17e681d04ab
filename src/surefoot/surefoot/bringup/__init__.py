# SPDX-License-Identifier: Apache-2.0
"""Starts a graph of processes from a ROS 2 XML launch file where there is no `ros2 launch`, and ends it."""
