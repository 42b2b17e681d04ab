# SPDX-License-Identifier: Apache-2.0
"""What a person gets to see of a run: plots, a film, a table, a report."""
