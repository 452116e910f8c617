"""The device seam, with a stand-in for CuPy: arrays of another class, and a module that computes on them."""

import sys
import types

import numpy as np
import pytest
import tracefn
from tracefn.errors import DeviceUnavailableError
from tracefn.runtime.device import array_module, to_device


class GpuArray:
    """An array that NumPy's functions do not accept, as CuPy's are."""

    __array_ufunc__ = None
    __cuda_array_interface__ = {}
    used = []

    def __init__(self, host):
        self.host = np.asarray(host)

    shape = property(lambda self: self.host.shape)
    dtype = property(lambda self: self.host.dtype)

    def get(self):
        return self.host.copy()

    def __mul__(self, other):
        return GpuArray(self.host * _host(other))

    def __add__(self, other):
        return GpuArray(self.host + _host(other))


GpuArray.__module__ = "cupy"
GpuArray.__name__ = "ndarray"


def _host(value):
    return value.host if isinstance(value, GpuArray) else value


class FakeCupy(types.ModuleType):
    def __init__(self, devices):
        super().__init__("cupy")
        self.ndarray = GpuArray
        self.cuda = types.SimpleNamespace(runtime=types.SimpleNamespace(getDeviceCount=lambda: devices))

    def asarray(self, value):
        return value if isinstance(value, GpuArray) else GpuArray(value)

    def __getattr__(self, name):
        function = getattr(np, name)
        GpuArray.used.append(name)
        return lambda *args, **kwargs: GpuArray(function(*map(_host, args), **kwargs))


@pytest.fixture
def cupy(monkeypatch):
    module = FakeCupy(devices=1)
    monkeypatch.setitem(sys.modules, "cupy", module)
    GpuArray.used.clear()
    return module


def test_cupy_argument_selects_the_gpu(cupy):
    offset = np.arange(3.0)
    f = tracefn.function(lambda x: np.tanh(x * 2) + offset + np.ones(3))
    x = np.linspace(0, 1, 3)
    for _ in range(3):
        got = f(GpuArray(x))
        assert isinstance(got, GpuArray)
        np.testing.assert_array_equal(got.get(), np.tanh(x * 2) + offset + 1)
        np.testing.assert_array_equal(f(x), np.tanh(x * 2) + offset + 1)
    assert GpuArray.used.count("tanh") == 3
    assert f.tracing_count == 2
    assert [c.device for c in f.concrete_functions] == ["gpu", "cpu"]
    assert f.concrete_functions[0].program == f.concrete_functions[1].program
    assert "on gpu" in f.concrete_functions[0].signature.text


def test_device_gpu_moves_numpy_arguments(cupy):
    f = tracefn.function(lambda x: np.sin(x) * 2, device="gpu")
    with tracefn.events.record() as seen:
        for _ in range(3):
            got = f(np.ones(2))
            assert isinstance(got, GpuArray)
            np.testing.assert_array_equal(got.get(), np.sin(np.ones(2)) * 2)
    assert f.tracing_count == 1
    assert [(e.direction, e.size) for e in seen if e.type == "transfer"] == [("to_device", 16)] * 3


def test_device_is_a_reason_to_retrace(cupy):
    f = tracefn.function(lambda x: x * 2)
    f(np.ones(2))
    with tracefn.events.record() as seen:
        f(GpuArray(np.ones(2)))
    assert [e.causes[0].text for e in seen if e.type == "retrace.explained"] == ["x: device cpu → gpu"]


def test_no_gpu_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", FakeCupy(devices=0))
    with pytest.raises(DeviceUnavailableError, match="NVIDIA GPU"):
        array_module("gpu")
    monkeypatch.setitem(sys.modules, "cupy", None)
    f = tracefn.function(lambda x: x, device="gpu")
    with pytest.raises(DeviceUnavailableError, match=r"tracefn\[gpu\]"):
        f(np.ones(2))
    assert f.tracing_count == 0


def test_to_device(cupy):
    assert isinstance(to_device(np.ones(2), "gpu"), GpuArray)
    assert isinstance(to_device(GpuArray(np.ones(2)), "cpu"), np.ndarray)
    assert to_device(3, "gpu") == 3
