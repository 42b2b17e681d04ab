# SPDX-License-Identifier: Apache-2.0
"""Whole loops in one process, without transport: what benchmarks and reports measure."""
