# SPDX-License-Identifier: Apache-2.0
"""Opens an address in the person's browser, where there is a screen to see it on."""

import os
import sys
import threading
import webbrowser


def open_in_browser(address: str) -> bool:
    """Whether a browser on this machine's screen was told to open an address. Never raises, and waits for nobody."""
    if sys.platform not in ("darwin", "win32") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        browser = webbrowser.get()
        # One that runs in the terminal would take it away from what is told there.
        if type(browser) is webbrowser.GenericBrowser:
            return False
        threading.Thread(target=browser.open, args=(address,), daemon=True).start()
    except (webbrowser.Error, OSError, RuntimeError):
        return False
    return True
