# SPDX-License-Identifier: Apache-2.0
"""What the Dynamixel bus is made of: control tables, units, the line with its packets, and the way servos are found and set up."""
