# SPDX-License-Identifier: Apache-2.0
"""Makes the Python environment of ./surefoot. Standard library only: nothing else is there yet."""
