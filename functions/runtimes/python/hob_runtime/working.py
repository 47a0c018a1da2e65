"""The event that is being worked on."""


class Working:
    request_id = ""
    tenant_id = None
