"""tracefn in a notebook: magics, summaries, and the link to the panel. Jupyter is imported only where it runs.

`attach()` links the running kernel; `%load_ext tracefn` does so too and adds `%%tracefn` and `%tracefn`.
"""

from tracefn.notebook.attachment import attach, load_ipython_extension, unload_ipython_extension

__all__ = ["attach", "load_ipython_extension", "unload_ipython_extension"]
