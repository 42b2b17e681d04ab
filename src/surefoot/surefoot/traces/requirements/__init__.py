# SPDX-License-Identifier: Apache-2.0
"""What every trace must hold at each tick, and what it must have reached at its end [Zapolsky 2017, sections 4.1.2 and 5.1, Table 4]."""
