"""What holds for all tests: random programs are tried without a time limit, a busy machine is no failure; and compiled
code is not kept."""

import os

from hypothesis import settings

os.environ["TRACEFN_CACHE"] = "off"

settings.register_profile("tracefn", deadline=None)
settings.load_profile("tracefn")
