# SPDX-License-Identifier: Apache-2.0
"""What finished traces tell: marks and events, where they part, how far they spread, and why some fall."""
