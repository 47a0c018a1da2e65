"""Runs a function written for Python: loads its handler, then hands it one event after another.

It stands in the sandbox at /var/runtime, runs on Python 3.8 and later, and uses nothing that does not come with Python.
"""

import os
import sys


def arrange_module_path():
    """The function's own modules come first, then those of its layers and of Python; ours hide only what the host has installed."""
    here = os.path.dirname(os.path.abspath(__file__))
    task_root = os.environ.get("LAMBDA_TASK_ROOT") or os.getcwd()
    version = "python{}.{}".format(*sys.version_info[:2])
    layers = ["/opt/python/lib/{}/site-packages".format(version), "/opt/python"]
    others = [entry for entry in sys.path if entry not in ("", here, task_root)]
    installed = [entry for entry in others if entry.endswith(("/site-packages", "/dist-packages"))]
    language = [entry for entry in others if entry not in installed]
    sys.path[:] = [task_root, *layers, *language, here, *installed]


if __name__ == "__main__":
    arrange_module_path()
    from hob_runtime.serving import serve

    serve()
