"""What packages do in their classes and functions that programs of one's own seldom do."""

from __future__ import annotations

import numpy as np

from .harness import arrays, case


@case()
def attributes_set_by_their_special_method():
    class Filter:
        def __init__(self):
            self.q0, self.b = [1, 2, 3], (0.5, 0.5, 0.5)

        def check(self, x):
            for name in ("q0", "b"):
                self.__setattr__(name, np.copy(self.__getattribute__(name)) + x)
            setter = self.__setattr__
            setter("norm", np.linalg.norm(self.q0))
            return self.q0 * self.b

    filtered = Filter()
    return filtered.check, arrays(3, 3, 3), lambda: vars(filtered)


@case()
def attribute_deleted_by_its_special_method():
    class Holder:
        def use(self, x):
            self.kept = x + 1
            self.__delattr__("kept")
            return x * 2

    holder = Holder()
    return holder.use, arrays(3, 3), lambda: vars(holder)


@case(graph=False)
def attribute_set_by_that_of_the_base_class():
    class Base:
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            super().__setattr__("changes", getattr(self, "changes", 0) + 1)

        def use(self, x):
            self.last = x * 2
            super().__setattr__("other", x)
            return self.last

    base = Base()
    return base.use, arrays(3, 3), lambda: vars(base)
