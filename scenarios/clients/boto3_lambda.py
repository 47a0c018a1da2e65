"""The life of a function by boto3."""

import io
import json
import os
import sys
import time
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


def logged(pattern, seconds=30):
    """Whether a line that matches is in the log in time: lines reach it shortly after the response."""
    pages = service("logs").get_paginator("filter_log_events")
    end = time.monotonic() + seconds
    while True:
        found = pages.paginate(logGroupName="/aws/lambda/%s" % NAME, filterPattern=pattern, PaginationConfig={"PageSize": 1})
        if any(page["events"] for page in found):
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.1)


def messages():
    queue, url = os.environ["QUEUE_ARN"], os.environ["QUEUE_URL"]
    unknown = lambda: functions.create_event_source_mapping(FunctionName=NAME, EventSourceArn=queue + "-2")
    step("a queue that is not declared is rejected", refused(unknown, "InvalidParameterValueException", 400))
    made = functions.create_event_source_mapping(
        FunctionName="%s:live" % NAME, EventSourceArn=queue, BatchSize=2, FunctionResponseTypes=["ReportBatchItemFailures"]
    )
    step("creates an event source mapping", made["State"], "Creating")
    sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=url)
    sqs.send_message(QueueUrl=url, MessageBody="one")
    end = time.monotonic() + 60
    while sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]["ApproximateNumberOfMessages"] != "0":
        if time.monotonic() >= end:
            raise TimeoutError("The message was not processed.")
        time.sleep(0.1)
    step("the message is processed", True)
    pages = functions.get_paginator("list_event_source_mappings").paginate(FunctionName="%s:live" % NAME)
    listed = [each["UUID"] for page in pages for each in page["EventSourceMappings"]]
    step("lists the mapping of the alias", listed, [made["UUID"]])
    changed = functions.update_event_source_mapping(UUID=made["UUID"], BatchSize=5)
    step("updates the mapping", changed["BatchSize"], 5)
    step("deletes the mapping", functions.delete_event_source_mapping(UUID=made["UUID"])["State"], "Deleting")


def life():
    missing = lambda: functions.get_function(FunctionName=NAME)
    step("an unknown function is not found", refused(missing, "ResourceNotFoundException", 404))
    made = functions.create_function(
        FunctionName=NAME,
        Runtime="python3.9",
        Role="arn:aws:iam::123456789012:role/worker",
        Handler="index.handler",
        Code={"ZipFile": archive()},
    )
    step("creates a function", (made["FunctionName"], made["State"]), (NAME, "Pending"))
    step("waits until the function is active", wait("function_active_v2"))
    step("invokes the function", invoke({}), (None, {"greeting": "hello", "memory": "128"}))
    changed = functions.update_function_configuration(
        FunctionName=NAME, MemorySize=256, Environment={"Variables": {"GREETING": "welcome"}}
    )
    step("updates the configuration", changed["LastUpdateStatus"], "InProgress")
    again = lambda: functions.update_function_configuration(FunctionName=NAME, Timeout=5)
    step("a concurrent update is rejected", refused(again, "ResourceConflictException", 409))
    step("waits until the update is finished", wait("function_updated_v2"))
    step("the function sees the new configuration", invoke({}), (None, {"greeting": "welcome", "memory": "256"}))
    error, report = invoke({"fail": "no good"})
    step("a failed invocation is reported", (error, report["errorType"], report["errorMessage"]), ("Unhandled", "ValueError", "no good"))
    step("STS shows the caller of the access key", service("sts").get_caller_identity()["Account"], "123456789012")
    step("the log contains the failure", logged('"no good"'))
    step("the filter excludes other lines", logged('"no good" -ValueError', seconds=0), False)
    wrong = lambda: functions.update_function_configuration(FunctionName=NAME, Timeout=5, RevisionId="stale")
    step("a stale revision is rejected", refused(wrong, "PreconditionFailedException", 412))
    unknown = lambda: functions.update_function_configuration(FunctionName=NAME, Layers=["arn:aws:lambda:us-east-1:123456789012:layer:none:1"])
    step("an unknown layer is rejected", refused(unknown, "InvalidParameterValueException", 400))
    version = functions.publish_version(FunctionName=NAME)["Version"]
    step("publishes a version", version, "1")
    functions.create_alias(FunctionName=NAME, Name="live", FunctionVersion=version)
    step("an alias points to the version", functions.get_alias(FunctionName=NAME, Name="live")["FunctionVersion"], "1")
    step("invokes the alias", invoke({}, Qualifier="live")[1]["greeting"], "welcome")
    pages = functions.get_paginator("list_functions").paginate(PaginationConfig={"PageSize": 1})
    step("lists the function", NAME in [each["FunctionName"] for page in pages for each in page["Functions"]])
    messages()
    functions.delete_function(FunctionName=NAME)
    step("a deleted function is not found", refused(missing, "ResourceNotFoundException", 404))


try:
    life()
except Exception:
    print("FAILED boto3\n%s" % traceback.format_exc())
    sys.exit(1)
