"""Events and results as JSON."""

import json

from . import settings
from .failures import RuntimeFault

# Marks the digits of a decimal until the text is complete; no other text contains it.
_MARK = "\ue000hob-decimal\ue000"


def parsed_header(text, name):
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise RuntimeFault(
            "LambdaContextUnmarshalError", "Unable to parse {} JSON: {}".format(name, error)
        ) from None


def event_of(body, content_type):
    if content_type != "application/json":
        return body
    try:
        return json.loads(body)
    except Exception as error:  # pylint: disable=broad-except -- deep nesting fails otherwise
        raise RuntimeFault(
            "UnmarshalError", "Unable to unmarshal input: {}".format(error)
        ) from None


def answer_of(result):
    if isinstance(result, bytes):
        return result, "application/unknown"
    try:
        return json_bytes(result), "application/json"
    except Exception as error:  # pylint: disable=broad-except -- deep nesting fails otherwise
        raise RuntimeFault(
            "MarshalError", "Unable to marshal response: {}".format(error)
        ) from None


def json_bytes(value):
    return _encoded(to_json(value))


def to_json(value):
    encoder = _Encoder(ensure_ascii=False)
    text = encoder.encode(value)
    if encoder.met_decimal:
        text = text.replace('"' + _MARK, "").replace(_MARK + '"', "")
    return _escaped(text) if settings.ESCAPES_TEXT else text


def _escaped(text):
    if text.isascii():
        return text
    # Every character beyond ASCII stands in a string, where its escape means the same.
    return "".join(c if c < "\x80" else json.dumps(c)[1:-1] for c in text)


def _encoded(text):
    """Half of a surrogate pair has no bytes of its own: it is sent as its escape."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join(
            json.dumps(c)[1:-1] if "\ud800" <= c <= "\udfff" else c for c in text
        ).encode()


class _Encoder(json.JSONEncoder):
    met_decimal = False

    def default(self, o):
        # Looked at by name: few functions load the module.
        if type(o).__name__ == "Decimal" and type(o).__module__ == "decimal":
            if o.is_nan():
                return float("nan")
            self.met_decimal = True
            return _MARK + str(o) + _MARK
        return super().default(o)
