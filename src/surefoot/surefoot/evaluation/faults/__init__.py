# SPDX-License-Identifier: Apache-2.0
"""What happens when something between two parts of the stack goes wrong: every interface, every kind of fault, in every phase."""
