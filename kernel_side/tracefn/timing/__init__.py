"""Timing: the cost of a first call, eager code against its graph, and where the time of a call goes."""

from tracefn.timing.comparing import compare
from tracefn.timing.comparison import Comparison
from tracefn.timing.measuring import measure
from tracefn.timing.profiles.profile import Profile
from tracefn.timing.profiles.taking import profile, profile_trace
from tracefn.timing.sampling import Quartiles
from tracefn.timing.sweeps.scaling import sweep_trace
from tracefn.timing.sweeps.sweep import Sweep
from tracefn.timing.sweeps.taking import sweep

__all__ = [
    "Comparison",
    "Profile",
    "Quartiles",
    "Sweep",
    "compare",
    "measure",
    "profile",
    "profile_trace",
    "sweep",
    "sweep_trace",
]
