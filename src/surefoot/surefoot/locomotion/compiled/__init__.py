# SPDX-License-Identifier: Apache-2.0
"""The policy compiled over a leading particle axis: a batch of one on the robot, many in a trace."""
