# SPDX-License-Identifier: Apache-2.0
"""The page in the browser: what it shows as plain state, the scene that draws it, and the server that serves both."""
