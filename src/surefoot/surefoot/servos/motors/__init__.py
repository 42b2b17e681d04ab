# SPDX-License-Identifier: Apache-2.0
"""What motors can do, in one place for the limits of the bridge, the simulation and the traces."""
