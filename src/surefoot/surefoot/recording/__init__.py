# SPDX-License-Identifier: Apache-2.0
"""Bags: recorded so that nothing is lost, read whoever made them, compared to the last digit."""
