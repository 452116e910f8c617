"""What holds for all tests: random programs are tried without a time limit, a busy machine is no failure."""

from hypothesis import settings

settings.register_profile("tracefn", deadline=None)
settings.load_profile("tracefn")
