"""The second parameter of a handler."""

import os
import sys
import time


class _Described:
    """Shows its members, so that printing a context is of use."""

    __slots__ = ()

    def __repr__(self):
        members = ",".join("{}={}".format(name, getattr(self, name)) for name in self.__slots__)
        return "{}([{}])".format(type(self).__name__, members)


class CognitoIdentity(_Described):
    __slots__ = ("cognito_identity_id", "cognito_identity_pool_id")

    def __init__(self, given):
        self.cognito_identity_id = given.get("cognitoIdentityId")
        self.cognito_identity_pool_id = given.get("cognitoIdentityPoolId")


class Client(_Described):
    __slots__ = (
        "installation_id",
        "app_title",
        "app_version_name",
        "app_version_code",
        "app_package_name",
    )

    def __init__(self, given):
        for name in self.__slots__:
            setattr(self, name, given.get(name))


class ClientContext(_Described):
    __slots__ = ("custom", "env", "client")

    def __init__(self, given):
        client = given.get("client")
        self.custom = given.get("custom")
        self.env = given.get("env")
        self.client = None if client is None else Client(client)


class LambdaContext:
    def __init__(self, request_id, deadline, function_arn, client_context, identity, tenant_id):
        environment = os.environ
        self.aws_request_id = request_id
        self.log_group_name = environment.get("AWS_LAMBDA_LOG_GROUP_NAME")
        self.log_stream_name = environment.get("AWS_LAMBDA_LOG_STREAM_NAME")
        self.function_name = environment.get("AWS_LAMBDA_FUNCTION_NAME")
        self.memory_limit_in_mb = environment.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
        self.function_version = environment.get("AWS_LAMBDA_FUNCTION_VERSION")
        self.invoked_function_arn = function_arn
        self.tenant_id = tenant_id
        self.client_context = None if client_context is None else ClientContext(client_context)
        self.identity = CognitoIdentity(identity or {})
        self._deadline = deadline

    def get_remaining_time_in_millis(self):
        return max(0, self._deadline - int(time.time() * 1000))

    def log(self, message):
        sys.stdout.write(str(message))

    def __repr__(self):
        members = ",".join(
            "{}={}".format(name, value)
            for name, value in vars(self).items()
            if not name.startswith("_")
        )
        return "{}([{}])".format(type(self).__name__, members)
