"""Values of `tracefn.nn` against SciPy, loops written out, and results worked by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.special
from numpy.testing import assert_allclose, assert_array_equal
from tracefn import nn

FAR = np.array([-np.inf, -1e4, -800.0, -40.0, -1.5, -1e-9, 0.0, 1e-9, 0.5, 40.0, 800.0, 1e4, np.inf])
random = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (nn.sigmoid, scipy.special.expit),
        (nn.log_sigmoid, scipy.special.log_expit),
        (nn.softplus, lambda x: -scipy.special.log_expit(-x)),
        (nn.relu, lambda x: np.maximum(x, 0)),
        (nn.elu, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
        (lambda x: nn.gelu(x[1:-1], approximate=False), lambda x: x[1:-1] * scipy.special.ndtr(x[1:-1])),
    ],
)
def test_of_elements(function, reference):
    with np.errstate(all="raise", under="ignore"):
        found = function(FAR)
    assert_allclose(found, reference(FAR), rtol=1e-14, atol=1e-16)
    with np.errstate(invalid="ignore"):
        assert np.isnan(function(np.full(3, np.nan))).all()


def test_silu_and_the_approximate_gelu():
    assert_allclose(nn.silu(FAR[1:]), FAR[1:] * scipy.special.expit(FAR[1:]), rtol=1e-14)
    x = np.linspace(-6, 6, 1001)
    assert np.abs(nn.gelu(x) - nn.gelu(x, approximate=False)).max() < 5e-4


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)])
def test_softmax_and_its_kin_are_scipys(axis):
    x = random.normal(size=(3, 4, 5)) * 500
    assert_allclose(nn.logsumexp(x, axis=axis), scipy.special.logsumexp(x, axis=axis), rtol=1e-14)
    assert nn.logsumexp(x, axis=axis, keepdims=True).ndim == 3
    assert_allclose(nn.softmax(x, axis=axis), scipy.special.softmax(x, axis=axis), rtol=1e-13)
    assert_allclose(nn.log_softmax(x, axis=axis), scipy.special.log_softmax(x, axis=axis), rtol=1e-13)


def test_logsumexp_of_infinities():
    with np.errstate(divide="ignore"):
        assert nn.logsumexp(np.full(3, -np.inf)) == -np.inf
    assert nn.logsumexp(np.array([np.inf, 0.0])) == np.inf


def _convolved(x, w, bias, strides, pads, dilations, groups):
    """A convolution as its formula says it, one product at a time."""
    axes = w.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in pads)])
    lengths = [
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], w.shape[2:], strides, dilations, strict=True)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *lengths)) + bias.reshape(-1, *[1] * axes)
    share, inner = w.shape[0] // groups, w.shape[1]
    for n, o, c in itertools.product(range(x.shape[0]), range(w.shape[0]), range(inner)):
        for at, of in itertools.product(np.ndindex(*lengths), np.ndindex(*w.shape[2:])):
            place = [a * s + k * d for a, s, k, d in zip(at, strides, of, dilations, strict=True)]
            out[(n, o, *at)] += w[(o, c, *of)] * x[(n, o // share * inner + c, *place)]
    return out


CONVOLUTIONS = [
    (nn.conv1d, nn.conv1d_transpose, (9,), (3,), (1,), (0,), (1,), 1),
    (nn.conv1d, nn.conv1d_transpose, (9,), (3,), (2,), (2,), (2,), 2),
    (nn.conv2d, nn.conv2d_transpose, (5, 6), (3, 2), (1, 1), (1, 1), (1, 1), 1),
    (nn.conv2d, nn.conv2d_transpose, (7, 6), (2, 2), (2, 3), (1, 0), (2, 1), 2),
    (nn.conv3d, nn.conv3d_transpose, (3, 4, 3), (2, 2, 1), (1, 2, 1), (0, 1, 0), (1, 1, 1), 1),
]


@pytest.mark.parametrize(
    ("conv", "transpose", "lengths", "sizes", "strides", "pads", "dilations", "groups"), CONVOLUTIONS
)
def test_convolutions(conv, transpose, lengths, sizes, strides, pads, dilations, groups):
    x, w = random.normal(size=(2, 4, *lengths)), random.normal(size=(6, 4 // groups, *sizes))
    bias = random.normal(size=6)
    expected = _convolved(x, w, bias, strides, pads, dilations, groups)
    found = conv(x, w, bias, strides, pads, dilations, groups)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)

    # the transpose is what it is called: <conv x, y> = <x, transpose y>
    y = random.normal(size=expected.shape)
    back = [
        n - ((m - 1) * s - 2 * p + d * (k - 1) + 1)
        for n, m, s, p, d, k in zip(lengths, y.shape[2:], strides, pads, dilations, sizes, strict=True)
    ]
    z = transpose(y, w, None, strides, pads, back, dilations, groups)
    assert z.shape == x.shape
    assert_allclose(np.vdot(conv(x, w, None, strides, pads, dilations, groups), y), np.vdot(x, z), rtol=1e-11)


def test_same_padding_has_its_odd_zero_at_the_end():
    x = np.arange(1.0, 6.0).reshape(1, 1, 5)
    assert_array_equal(nn.conv1d(x, np.ones((1, 1, 2)), padding="same"), [[[3, 5, 7, 9, 5]]])
    assert_array_equal(nn.conv1d(x, np.ones((1, 1, 3)), stride=2, padding="same"), [[[3, 9, 9]]])
    for length, stride, size in itertools.product((5, 6, 7), (1, 2, 3), (1, 2, 3, 4)):
        ones = np.ones((1, 1, length))
        assert nn.conv1d(ones, np.ones((1, 1, size)), stride=stride, padding="same").shape[-1] == -(-length // stride)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("pad", [0, 1])
def test_pools(stride, pad):
    x = random.normal(size=(2, 3, 8, 7))
    for pool, fill, fold in ((nn.max_pool, -np.inf, np.max), (nn.avg_pool, 0, np.mean)):
        around = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)], constant_values=fill)
        windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3), (2, 3))[:, :, ::stride, ::stride]
        assert_allclose(pool(x, 3, stride, pad), fold(windows, axis=(-1, -2)), rtol=1e-13, atol=1e-15)
    assert_allclose(nn.avg_pool(np.ones((1, 1, 5, 5)), 3, 1, "same", count_include_pad=False), 1, rtol=1e-15)
    assert_array_equal(nn.max_pool(-np.ones((1, 1, 4), int), 2, padding=1), [[[-1, -1, -1]]])


def test_normalisation():
    x = random.normal(2, 3, size=(6, 3, 4))
    assert_allclose(nn.layer_norm(x, eps=0).mean(-1), 0, atol=1e-14)
    assert_allclose(nn.layer_norm(x, eps=0, axis=(1, 2)).std((1, 2)), 1)
    mean, var = np.full(3, 5.0), np.full(3, 2.0)
    y = nn.batch_norm(x, mean, var, np.full(3, 2.0), np.full(3, 1.0), training=True, momentum=0.25, eps=0)
    assert_allclose(y.mean((0, 2)), 1)
    assert_allclose(y.std((0, 2)), 2)
    assert_allclose(mean, 5 + 0.25 * (x.mean((0, 2)) - 5))
    assert_allclose(var, 2 + 0.25 * (x.var((0, 2), ddof=1) - 2))
    expected = (x - mean.reshape(3, 1)) / np.sqrt(var.reshape(3, 1) + 1e-5)
    assert_allclose(nn.batch_norm(x, mean, var), expected)
    with pytest.raises(ValueError, match="needs running_mean"):
        nn.batch_norm(x)


def test_dropout_keeps_the_mean():
    x = np.ones((200, 200), np.float32)
    y = nn.dropout(x, 0.25, np.random.default_rng(0))
    assert y.dtype == np.float32
    assert set(np.unique(y)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert abs(y.mean() - 1) < 0.01
    assert nn.dropout(x, 0.25, np.random.default_rng(0), training=False) is x
    assert not nn.dropout(x, 1, np.random.default_rng(0)).any()
    with pytest.raises(ValueError, match="probability"):
        nn.dropout(x, 1.5, np.random.default_rng(0))


def test_attention():
    q, k, v = random.normal(size=(2, 3, 4)), random.normal(size=(2, 5, 4)), random.normal(size=(2, 5, 6))
    weights = scipy.special.softmax(np.einsum("bqf,bkf->bqk", q, k) / 2, axis=-1)
    assert_allclose(nn.scaled_dot_product_attention(q, k, v), np.einsum("bqk,bkr->bqr", weights, v))
    causal = nn.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert_allclose(causal[:, 0], v[:, 0])
    assert_allclose(causal[:, 1], nn.scaled_dot_product_attention(q[:, 1:2], k[:, :2], v[:, :2])[:, 0])
    hidden = np.where(np.arange(5) < 2, 0, -np.inf)
    assert_allclose(nn.scaled_dot_product_attention(q, k, v, mask=hidden)[:, 1], causal[:, 1])
    assert_allclose(nn.scaled_dot_product_attention(q, k, v, mask=hidden == 0)[:, 1], causal[:, 1])
    for mask in (np.arange(3)[:, None] > 0, np.where(np.arange(3)[:, None] > 0, 0.0, -np.inf)):
        padded = nn.scaled_dot_product_attention(q, k, v, mask=mask)
        assert_allclose(padded[:, 0], 0)  # a query that sees no key
        assert_allclose(padded[:, 1:], nn.scaled_dot_product_attention(q, k, v)[:, 1:])


def test_losses_by_hand():
    # logits 0 and log 3 are probabilities of 1/4 and 3/4
    logits = np.array([[0.0, np.log(3)], [np.log(3), 0.0]])
    none = nn.cross_entropy(logits, np.array([1, 1]), reduction="none")
    assert_allclose(none, [-np.log(0.75), -np.log(0.25)])
    assert_allclose(nn.cross_entropy(logits, np.array([1, 1])), none.mean())
    assert_allclose(nn.cross_entropy(logits.T, np.array([1, 1]), axis=0, reduction="sum"), none.sum())
    smooth = 0.8 * none - 0.2 * (np.log(0.25) + np.log(0.75)) / 2
    assert_allclose(nn.cross_entropy(logits, np.array([1, 1]), label_smoothing=0.2, reduction="none"), smooth)
    weights = np.array([[0.5, 2.0], [1.0, 3.0]])  # which are no probabilities
    below = np.log(nn.softmax(logits))
    expected = -np.sum((0.8 * weights + 0.1) * below, axis=-1)
    assert_allclose(nn.cross_entropy(logits, weights, label_smoothing=0.2, reduction="none"), expected)
    shares = np.array([[0.5, 0.5], [0.0, 1.0]])
    assert_allclose(nn.cross_entropy(logits, shares, reduction="none"), [none.mean(), none[1]])
    # where logits are large, the loss does not lose their digits
    far = nn.cross_entropy(np.array([[1e6, 1e6 - 20]]), np.array([0]))
    assert_allclose(far, np.log1p(np.exp(-20)), rtol=1e-6)

    p = 1 / (1 + np.exp(-logits))
    t = np.array([[0.2, 1.0], [0.0, 0.5]])
    expected = -(t * np.log(p) + (1 - t) * np.log(1 - p))
    assert_allclose(nn.binary_cross_entropy_with_logits(logits, t, reduction="none"), expected)
    assert_allclose(nn.huber_loss(np.array([0.0, 5.0]), np.array([1.0, 1.0]), delta=2, reduction="none"), [0.5, 6.0])
    assert nn.l1_loss(np.array([3.0, -1.0]), np.array([1.0, 1.0]), reduction="sum") == 4
    assert nn.mse_loss(np.array([3.0, -1.0]), np.array([1.0, 1.0])) == 4
    with pytest.raises(ValueError, match="'mean', 'sum' or 'none'"):
        nn.mse_loss(logits, logits, reduction="max")


def test_examples_that_do_not_count():
    """The loss and the mean are PyTorch's. No other label outside counts from the end."""
    logits, labels = random.normal(size=(4, 3)), np.array([0, -100, 2, -100])
    counted = nn.cross_entropy(logits[::2], labels[::2], reduction="none", label_smoothing=0.1)
    for reduction, expected in (("none", [counted[0], 0, counted[1], 0]), ("mean", counted.mean())):
        found = nn.cross_entropy(logits, labels, label_smoothing=0.1, reduction=reduction, ignore_index=-100)
        assert_allclose(found, expected)
    for wrong in (-1, 3, -100):
        with pytest.raises(IndexError):
            nn.cross_entropy(logits, np.array([0, 1, 2, wrong]))


def test_shapes_that_do_not_fit_are_named():
    x = np.ones((1, 4, 8, 8))
    for call, text in [
        (lambda: nn.conv2d(x, np.ones((2, 4, 3))), "weight has 3 axes, not 4"),
        (lambda: nn.conv2d(x, np.ones((2, 3, 3, 3))), "x has 4 channels, and weight is for 3 in each of 1 groups"),
        (lambda: nn.conv2d(x, np.ones((3, 2, 3, 3)), groups=2), "3 results cannot be shared by 2 groups"),
        (lambda: nn.conv2d_transpose(x, np.ones((3, 2, 3, 3))), "x has 4 channels, and weight is for 3"),
        (lambda: nn.conv2d(x, np.ones((2, 4, 3, 3)), stride=(1, 1, 1)), "stride has 3 values for 2 spatial axes"),
        (lambda: nn.conv2d(x, np.ones((2, 4, 3, 3)), padding="full"), "padding is 'same', 'valid' or numbers"),
        (lambda: nn.max_pool(x[0, 0], 2), "x has 2 axes"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
