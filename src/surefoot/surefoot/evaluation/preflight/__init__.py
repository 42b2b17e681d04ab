# SPDX-License-Identifier: Apache-2.0
"""Before a real robot is armed: whether everything that it needs is there and sane."""
