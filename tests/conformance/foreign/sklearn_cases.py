"""scikit-learn and scikit-image as people call them: fitted models outside, models fitted inside, metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import skimage.filters
import skimage.measure
import skimage.transform
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, SGDRegressor
from sklearn.metrics import mean_squared_error, r2_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .harness import case


def _data(*lengths: int) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(n, 3)),) for n in lengths]


@case()
def scaler_outside() -> Any:
    scaler = StandardScaler().fit(_data(10)[0][0])

    def f(X: Any) -> Any:
        return scaler.transform(X) * 2 + scaler.mean_

    return f, _data(4, 4, 6)


@case()
def scaler_of_self() -> Any:
    class Model:
        def __init__(self) -> None:
            self.scaler = StandardScaler()
            self.fitted = 0

        def run(self, X: Any) -> Any:
            self.scaler.fit(X)
            return self.scaler.transform(X).std(axis=0) + self.scaler.mean_

    model = Model()
    return lambda X: model.run(X), _data(4, 4, 6), lambda: vars(model.scaler)


@case()
def scaler_inside() -> Any:
    def f(X: Any) -> Any:
        return StandardScaler().fit_transform(X)

    return f, _data(4, 4, 6)


@case()
def partial_fit() -> Any:
    model = SGDRegressor(random_state=0)

    def f(X: Any) -> Any:
        model.partial_fit(X, X[:, 0])
        return model.predict(X), model.coef_.copy()

    return f, _data(4, 4, 6), lambda: model.coef_


@case()
def linear_regression() -> Any:
    def f(X: Any) -> Any:
        model = LinearRegression()
        model.fit(X[:, :2], X[:, 2])
        return model.coef_, model.intercept_, model.score(X[:, :2], X[:, 2])

    return f, _data(6, 6, 8)


@case()
def principal_components() -> Any:
    def f(X: Any) -> Any:
        pca = PCA(n_components=2)
        return np.abs(pca.fit_transform(X)), pca.explained_variance_ratio_.sum()

    return f, _data(6, 6, 8)


@case()
def clusters() -> Any:
    def f(X: Any) -> Any:
        return KMeans(2, n_init=1, random_state=0).fit(X).labels_

    return f, _data(6, 6, 8)


@case()
def metrics() -> Any:
    def f(X: Any) -> Any:
        return mean_squared_error(X[:, 0], X[:, 1]) + r2_score(X[:, 0], X[:, 2])

    return f, _data(6, 6, 8)


@case()
def neighbours() -> Any:
    X = _data(10)[0][0]
    model = KNeighborsClassifier(3).fit(X, X[:, 0] > 0)

    def f(X: Any) -> Any:
        return model.predict(X).sum(), model.predict_proba(X)

    return f, _data(6, 6, 8)


@case()
def pipeline() -> Any:
    X = _data(10)[0][0]
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(X, X[:, 0])

    def f(X: Any) -> Any:
        return model.predict(X) - X[:, 0]

    return f, _data(6, 6, 8)


@case()
def models_in_a_list() -> Any:
    X = _data(10)[0][0]
    models = [LinearRegression().fit(X, X[:, i]) for i in range(3)]

    def f(X: Any) -> Any:
        total = np.zeros(len(X))
        for model in models:
            total = total + model.predict(X)
        return total

    return f, _data(6, 6, 8)


@case()
def sobel_image() -> Any:
    def f(image: Any) -> Any:
        return skimage.filters.sobel(image).max() + skimage.filters.threshold_otsu(image)

    return f, _data(6, 6, 8)


@case()
def resized_image() -> Any:
    def f(image: Any) -> Any:
        return skimage.transform.resize(image, (3, 3)), skimage.measure.label(image > 0).max()

    return f, _data(6, 6, 8)
