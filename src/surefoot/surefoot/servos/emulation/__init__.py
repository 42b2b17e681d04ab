# SPDX-License-Identifier: Apache-2.0
"""Servos that are not there: they speak their makers' protocols byte by byte, and can be made to fail."""
