"""Derivatives of spectra, median filters and density estimates, against central differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.stats
import tracefn
from tracefn.autodiff.libraries.spectra import RULES
from tracefn.errors import MissingDerivativeError
from unit.gradients.library_calls import MATRIX, X, check

PLACES = np.arange(32.0)
SIGNAL = np.cos(3 * PLACES)


def signal(x):
    return np.sin(PLACES * x[0]) + x[1] * PLACES + x[2]


def pair(x):
    return signal(x), SIGNAL


def spectra(x):
    return np.reshape(np.outer(np.cos(np.arange(10)), x), (5, 6)) * (1 + 0.5j * x[0])


CALLS = {
    "scipy.signal.welch": [
        lambda f, x: f(signal(x))[1],
        lambda f, x: f(signal(x), 10.0, "hamming", 9, 4, scaling="spectrum", detrend=False)[1],
        lambda f, x: f(np.stack([signal(x), SIGNAL * x[0]]), x[2], nperseg=8, nfft=12, return_onesided=False)[1],
        lambda f, x: f(signal(x), window=np.hanning(10))[1],
        lambda f, x: f(signal(x), window=x[0] + PLACES[:10])[1],
    ],
    "scipy.signal.csd": [lambda f, x: np.abs(f(*pair(x), nperseg=8)[1]), lambda f, x: f(*pair(x), nperseg=9)[1].imag],
    "scipy.signal.coherence": [lambda f, x: f(*pair(x), nperseg=8)[1]],
    "scipy.signal.periodogram": [lambda f, x: f(signal(x))[1], lambda f, x: f(signal(x), 2.0, "hann", 40)[1]],
    "scipy.signal.spectrogram": [lambda f, x: f(signal(x), nperseg=8)[2], lambda f, x: f(signal(x))[2]],
    "scipy.signal.istft": [
        lambda f, x: f(spectra(x), nperseg=8)[1],
        lambda f, x: f(spectra(x), 2.0, "hamming", 8, 6, 9, boundary=False, scaling="psd")[1],
        lambda f, x: np.real(f(spectra(x), input_onesided=False, nperseg=4)[1]),
    ],
    "scipy.signal.stft": [
        lambda f, x: np.abs(f(signal(x), nperseg=8)[2]),
        lambda f, x: f(signal(x), nperseg=9, noverlap=2, boundary=None, padded=False)[2].real,
        lambda f, x: f(signal(x), nperseg=7, noverlap=5, nfft=8)[2].imag,
    ],
    "scipy.signal.medfilt": [
        lambda f, x: f(signal(x) * SIGNAL, 5),
        lambda f, x: f(np.outer(x, MATRIX + x), [3, 1]),
    ],
    "scipy.signal.medfilt2d": [lambda f, x: f(np.outer(x, MATRIX + x), 3)],
    "scipy.stats.gaussian_kde": [
        lambda f, x: f(signal(x))(x),
        lambda f, x: f(np.stack([signal(x), SIGNAL]), "silverman")(np.stack([x, x**2])),
    ],
}


@pytest.mark.filterwarnings("ignore:nperseg")
@pytest.mark.parametrize("path", sorted(RULES))
def test_functions(path):
    _, module, name = path.split(".")
    function = getattr(getattr(scipy, module), name)
    for call in CALLS[path]:
        check(lambda x, call=call: call(function, x), X, 1e-5)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda x: scipy.signal.welch(signal(x), nperseg=8, average="median")[1], "scipy.signal.welch"),
        (lambda x: scipy.signal.spectrogram(signal(x), nperseg=8, mode="phase")[2], "scipy.signal.spectrogram"),
        (lambda x: scipy.signal.welch(signal(x), fs=x[0])[0], "scipy.signal.welch"),
        (lambda x: scipy.stats.gaussian_kde(signal(x), 0.3)(x), "scipy.stats.gaussian_kde"),
        (lambda x: scipy.linalg.schur(MATRIX * x)[0], "scipy.linalg.schur"),
        (lambda x: scipy.linalg.hessenberg(MATRIX * x), "scipy.linalg.hessenberg"),
        (lambda x: scipy.stats.pearsonr(X**2, x)[0], r"scipy.stats.pearsonr\(...\)\[...\]"),
        (lambda x: scipy.stats.linregress(X**2, x).slope, r"scipy.stats.linregress\(...\).slope"),
    ],
)
def test_others_are_refused_by_their_names(call, named):
    with pytest.raises(MissingDerivativeError, match=f"the derivative of `{named}"):
        tracefn.grad(lambda x: np.sum(call(x)))(X)
