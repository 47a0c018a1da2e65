"""What the function prints and logs, on its way out."""

import sys


def set_up():
    # Each line goes out when it is whole, and all of it before an answer does.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    if "logging" in sys.modules:
        _set_up_logging()
    else:
        sys.meta_path.insert(0, _WhenLoggingIsLoaded())


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            # The function has closed it, or there is no reader.
            pass


def _set_up_logging():
    from . import log_lines

    log_lines.set_up()


class _WhenLoggingIsLoaded:
    """The module `logging` takes as long to load as the interpreter: a function that does not log need not wait."""

    def find_spec(self, name, path=None, target=None):
        if name != "logging":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _after_loading(spec.loader, _set_up_logging)
                return spec
        return None


def _after_loading(loader, then):
    load = loader.exec_module

    def load_and_set_up(module):
        load(module)
        then()

    loader.exec_module = load_and_set_up
