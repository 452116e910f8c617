"""The one lock of the event stream: bus, ledger and counters share it, and a forked child finds it free."""

import os
import threading

LOCK = threading.RLock()

if hasattr(os, "register_at_fork"):
    # Another thread could hold the lock when the process forks, and no thread of the child would ever release it.
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)
