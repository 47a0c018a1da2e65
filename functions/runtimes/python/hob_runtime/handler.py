"""Finds the function that a handler setting like `package.module.function` means."""

import sys

from .failures import RuntimeFault


def load_handler(setting):
    try:
        module_name, function_name = setting.rsplit(".", 1)
    except ValueError as error:
        raise RuntimeFault(
            "MalformedHandlerName", "Bad handler '{}': {}".format(setting, error)
        ) from None
    module = _load_module(module_name)
    try:
        return getattr(module, function_name)
    except AttributeError:
        raise RuntimeFault(
            "HandlerNotFound",
            "Handler '{}' missing on module '{}'".format(function_name, module_name),
        ) from None


def _missing_sdk(error):
    """A hint if the AWS SDK is missing, which AWS's runtimes include."""
    if getattr(error, "name", None) not in ("boto3", "botocore"):
        return ""
    return "\nTo add it to the runtime, the operator runs: hob runtimes add python"


def _load_module(name):
    if name.split(".")[0] in sys.builtin_module_names:
        raise RuntimeFault(
            "BuiltInModuleConflict",
            "Cannot use built-in module {} as a handler module".format(name),
        )
    try:
        full_name = name.replace("/", ".")
        __import__(full_name)
        return sys.modules[full_name]
    except ImportError as error:
        raise RuntimeFault(
            "ImportModuleError",
            "Unable to import module '{}': {}{}".format(name, error, _missing_sdk(error)),
        ) from None
    except SyntaxError as error:
        raise RuntimeFault(
            "UserCodeSyntaxError",
            "Syntax error in module '{}': {}".format(name, error),
            ['  File "{}" Line {}\n    {}'.format(error.filename, error.lineno, error.text)],
        ) from None
