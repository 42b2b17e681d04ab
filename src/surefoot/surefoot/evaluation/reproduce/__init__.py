# SPDX-License-Identifier: Apache-2.0
"""Experiments of the sources, done again in our own simulation: theirs and ours side by side."""
