# SPDX-License-Identifier: Apache-2.0
"""The physics of perturbed copies: their bodies, contacts, ground, servos and what disturbs them."""
