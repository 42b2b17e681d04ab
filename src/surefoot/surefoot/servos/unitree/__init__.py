# SPDX-License-Identifier: Apache-2.0
"""The low-level messages of Unitree's SDK 2 for four-legged robots: their layout, their checksum, their way over DDS."""
