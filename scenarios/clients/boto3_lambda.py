"""The life of a function by boto3."""

import io
import json
import os
import sys
import traceback
import zipfile

import boto3
from botocore.config import Config

functions = boto3.client(
    "lambda",
    region_name="us-east-1",
    endpoint_url="https://%s" % os.environ["HOB_HOST"],
    config=Config(retries={"max_attempts": 0}),
)
NAME = "by-boto3"
HANDLER = """
import os

def handler(event, context):
    if "fail" in event:
        raise ValueError(event["fail"])
    return {"greeting": os.environ.get("GREETING", "hello"), "memory": context.memory_limit_in_mb}
"""


def step(what, got, expected=True):
    if got != expected:
        print("FAILED %s\nexpected %r, got %r" % (what, expected, got))
        sys.exit(1)
    print("ok %s" % what)


def refused(action, error, status):
    try:
        action()
    except getattr(functions.exceptions, error) as refusal:
        return refusal.response["ResponseMetadata"]["HTTPStatusCode"] == status
    return False


def archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("index.py", HANDLER)
    return file.getvalue()


def invoke(event, **more):
    answer = functions.invoke(FunctionName=NAME, Payload=json.dumps(event), **more)
    return answer.get("FunctionError"), json.load(answer["Payload"])


def wait(waiter):
    functions.get_waiter(waiter).wait(FunctionName=NAME)
    return True


def service(name):
    return boto3.client(name, region_name="us-east-1", endpoint_url="https://%s" % os.environ["HOB_HOST"])


def logged(pattern, tries=40):
    pages = service("logs").get_paginator("filter_log_events")
    for _ in range(tries):
        found = pages.paginate(logGroupName="/aws/lambda/%s" % NAME, filterPattern=pattern, PaginationConfig={"PageSize": 1})
        if any(page["events"] for page in found):
            return True
    return False


def life():
    missing = lambda: functions.get_function(FunctionName=NAME)
    step("nothing is there", refused(missing, "ResourceNotFoundException", 404))
    made = functions.create_function(
        FunctionName=NAME,
        Runtime="python3.9",
        Role="arn:aws:iam::123456789012:role/worker",
        Handler="index.handler",
        Code={"ZipFile": archive()},
    )
    step("a function is made", (made["FunctionName"], made["State"]), (NAME, "Pending"))
    step("it becomes active", wait("function_active_v2"))
    step("it answers", invoke({}), (None, {"greeting": "hello", "memory": "128"}))
    changed = functions.update_function_configuration(
        FunctionName=NAME, MemorySize=256, Environment={"Variables": {"GREETING": "welcome"}}
    )
    step("its settings are changed", changed["LastUpdateStatus"], "InProgress")
    again = lambda: functions.update_function_configuration(FunctionName=NAME, Timeout=5)
    step("not two changes at once", refused(again, "ResourceConflictException", 409))
    step("the change is applied", wait("function_updated_v2"))
    step("the function sees it", invoke({}), (None, {"greeting": "welcome", "memory": "256"}))
    error, told = invoke({"fail": "no good"})
    step("a failure is told", (error, told["errorType"], told["errorMessage"]), ("Unhandled", "ValueError", "no good"))
    step("its key is known", service("sts").get_caller_identity()["Account"], "123456789012")
    step("its failure is logged", logged('"no good"'))
    step("what is no failure is not", logged('"no good" -ValueError', tries=1), False)
    wrong = lambda: functions.update_function_configuration(FunctionName=NAME, Timeout=5, RevisionId="stale")
    step("a stale revision is refused", refused(wrong, "PreconditionFailedException", 412))
    unknown = lambda: functions.update_function_configuration(FunctionName=NAME, Layers=["arn:aws:lambda:us-east-1:123456789012:layer:none:1"])
    step("an unknown layer is refused", refused(unknown, "InvalidParameterValueException", 400))
    version = functions.publish_version(FunctionName=NAME)["Version"]
    step("a version is published", version, "1")
    functions.create_alias(FunctionName=NAME, Name="live", FunctionVersion=version)
    step("an alias points at it", functions.get_alias(FunctionName=NAME, Name="live")["FunctionVersion"], "1")
    step("the alias answers", invoke({}, Qualifier="live")[1]["greeting"], "welcome")
    pages = functions.get_paginator("list_functions").paginate(PaginationConfig={"PageSize": 1})
    step("it is listed", NAME in [each["FunctionName"] for page in pages for each in page["Functions"]])
    functions.delete_function(FunctionName=NAME)
    step("it is deleted", refused(missing, "ResourceNotFoundException", 404))


try:
    life()
except Exception:
    print("FAILED boto3\n%s" % traceback.format_exc())
    sys.exit(1)
