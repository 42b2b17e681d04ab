# SPDX-License-Identifier: Apache-2.0
"""Measurements that `surefoot bench` prints: how well the robot walks, and how fast the parts are beside something public."""
