"""Sample and error inputs: Fourier transforms."""

import numpy as np

from ..table import error, refused, sample

V = np.arange(5, dtype=np.float32)
A = np.arange(12, dtype=np.float64).reshape(3, 4)
INT = np.arange(6, dtype=np.int8)
HALF = np.arange(4, dtype=np.float16)
COMPLEX = np.arange(24, dtype=np.complex64).reshape(2, 3, 4)
EMPTY = np.zeros((0, 3))
S = np.float64(2)
TEXT = np.array(["a", "b"])

ROWS = [
    sample(np.fft.fftshift, A),
    sample(np.fft.fftshift, COMPLEX, 1),
    sample(np.fft.fftshift, TEXT, axes=(0, -1)),
    error(np.fft.fftshift, S),
    error(np.fft.fftshift, A, 2),
    sample(np.fft.ifftshift, A, axes=[0]),
    sample(np.fft.ifftshift, EMPTY),
    error(np.fft.ifftshift, A, (0, 3)),
    refused(np.fft.fftn, A, axes=()),
    error(np.fft.rfftn, A, axes=()),
]
for call in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft):
    ROWS += [
        sample(call, V),
        sample(call, INT, 4),
        sample(call, A, axis=0),
        sample(call, A, 7, 0, "ortho"),
        sample(call, HALF, n=3, norm="forward"),
        sample(call, EMPTY, axis=1),
        error(call, EMPTY, axis=0),
        error(call, V, 0),
        error(call, A, axis=2),
        error(call, S),
        error(call, V, norm="no such norm"),
        error(call, TEXT),
    ]
for call in (np.fft.fft, np.fft.ifft, np.fft.irfft, np.fft.hfft):
    ROWS += [sample(call, COMPLEX), sample(call, COMPLEX, 6, axis=1)]
for call in (np.fft.rfft, np.fft.ihfft):
    ROWS += [error(call, COMPLEX)]
for call in (np.fft.fftn, np.fft.ifftn, np.fft.fft2, np.fft.ifft2, np.fft.irfftn, np.fft.irfft2):
    ROWS += [
        sample(call, COMPLEX),
        sample(call, A, (2, 5), (0, 1)),
        sample(call, COMPLEX, s=(3, -1), axes=(0, 2), norm="ortho"),
        sample(call, COMPLEX, axes=(-1, 0)),
        sample(call, COMPLEX, axes=(1, 1)),
        error(call, A, (2,), (0, 1)),
        error(call, A, axes=(0, 2)),
        error(call, A, (0, 2), (0, 1)),
        error(call, A, norm="no such norm"),
    ]
for call in (np.fft.rfftn, np.fft.rfft2):
    ROWS += [
        sample(call, A),
        sample(call, A, (2, 5), (0, 1)),
        sample(call, COMPLEX.real, s=(3, -1), axes=(0, 2), norm="ortho"),
        sample(call, COMPLEX.real, axes=(-1, 0)),
        sample(call, COMPLEX.real, axes=(1, 1)),
        error(call, COMPLEX),
        error(call, A, (2,), (0, 1)),
        error(call, A, axes=(0, 2)),
    ]
for call in (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2):
    ROWS += [error(call, V)]
