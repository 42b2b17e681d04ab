# SPDX-License-Identifier: Apache-2.0
"""A robot in its sagittal plane: five links, of which each leg is a pair of legs that move together [Levashov 2012, chapters 3 and 4]."""
