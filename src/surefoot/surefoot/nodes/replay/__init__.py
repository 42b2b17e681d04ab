# SPDX-License-Identifier: Apache-2.0
"""Nodes that are fed from a bag: the same classes as on the robot, with a bag in the place of the middleware."""
