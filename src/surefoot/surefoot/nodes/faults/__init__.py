# SPDX-License-Identifier: Apache-2.0
"""Faults between real processes: a relay on the topics, the graph around it, and what is done to its processes."""

DOMAIN = 87
"""In which they live if nothing else is said."""
