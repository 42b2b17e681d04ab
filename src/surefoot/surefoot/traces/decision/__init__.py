# SPDX-License-Identifier: Apache-2.0
"""From counted traces to a verdict: the race of the candidates, its bounds, its deadline, the counter-offer and the record."""
