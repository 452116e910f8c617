"""The device seam: which array module a program runs with."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import DeviceUnavailableError, message


def is_gpu_array(value: Any) -> bool:
    """True for a `cupy.ndarray`. Never imports CuPy."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def array_module(device: str) -> Any:
    """The module that takes NumPy's place in programs on this device: numpy for 'cpu', cupy for 'gpu'.

    Raises `DeviceUnavailableError` where CuPy or a usable GPU is missing.
    """
    if device == "cpu":
        return np
    try:
        import cupy
    except ImportError as error:
        raise DeviceUnavailableError(
            message(
                f"device='gpu' needs CuPy, which cannot be imported ({error})",
                fix='Install it with: pip install "tracefn[gpu]" (NVIDIA GPU with CUDA 12), or leave `device` out.',
            )
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise DeviceUnavailableError(
            message(
                f"device='gpu' needs an NVIDIA GPU, and CuPy finds none: {error}",
                fix="Check `nvidia-smi` and the CUDA driver, or leave `device` out.",
            )
        ) from error
    if not count:
        raise DeviceUnavailableError(message("device='gpu' needs an NVIDIA GPU, and CuPy finds none"))
    return cupy


def to_device(value: Any, device: str) -> Any:
    """An array on the device; anything that is no array, and arrays that are there already, as they are."""
    if device == "gpu" and isinstance(value, np.ndarray | np.generic):
        return array_module("gpu").asarray(value)
    if device == "cpu" and is_gpu_array(value):
        return value.get()
    return value


def synchronize(device: str) -> None:
    """Waits until the device has done its work."""
    if device == "gpu":
        array_module("gpu").cuda.Device().synchronize()
