#!/bin/bash
# awscli.sh AWS: the life of a function by the AWS command line, versions 1 and 2. HOB_HOST has the service, AWS_ACCESS_KEY_ID and
# AWS_SECRET_ACCESS_KEY sign.
set -u
cd "$(dirname "$0")" || exit 1
. ./steps.sh

aws_command=$1
aws() { command "$aws_command" "$@"; }

export AWS_PAGER=
work=$(mktemp -d "$HOB_WORK/awscli-XXXX")
cat >"$work/index.mjs" <<'HANDLER'
export const handler = async (event) => {
  if (event.fail) throw new Error(event.fail);
  return `${process.env.GREETING ?? 'hello'}, ${event.name}`;
};
HANDLER
(cd "$work" && python3 -m zipfile -c code.zip index.mjs)

functions() {
  aws --endpoint-url "https://$HOB_HOST" --region us-east-1 --output text lambda "$@"
}

# refused_as CODE ARGUMENT…: whether the service refuses with that error.
refused_as() {
  local said
  if said=$(functions "${@:2}" 2>&1); then
    echo 'the request was accepted'
    return 1
  fi
  printf '%s\n' "$said"
  [[ $said == *"($1)"* ]]
}

# invoke PAYLOAD ARGUMENT…: what the function answers.
invoke() {
  printf '%s' "$1" >"$work/event.json"
  shift
  functions invoke --function-name by-awscli --payload "fileb://$work/event.json" "$@" "$work/out.json" >"$work/told" &&
    cat "$work/out.json"
}

step 'an unknown function is not found' refused_as ResourceNotFoundException get-function --function-name by-awscli
step 'creates a function' is by-awscli functions create-function --function-name by-awscli --runtime nodejs24.x \
  --role arn:aws:iam::123456789012:role/worker --handler index.handler --zip-file "fileb://$work/code.zip" \
  --query FunctionName
step 'waits until the function is active' functions wait function-active-v2 --function-name by-awscli
step 'invokes the function' is '"hello, you"' invoke '{"name":"you"}'
step 'updates the configuration' is InProgress functions update-function-configuration --function-name by-awscli \
  --memory-size 256 --timeout 5 --description 'by hand' --environment 'Variables={GREETING=welcome}' \
  --query LastUpdateStatus
step 'waits until the update is finished' functions wait function-updated-v2 --function-name by-awscli
step 'shows the new configuration' is $'256\t5\tby hand\twelcome' functions get-function-configuration \
  --function-name by-awscli --query '[MemorySize,Timeout,Description,Environment.Variables.GREETING]'
step 'the function sees the new configuration' is '"welcome, you"' invoke '{"name":"you"}'
invoke '{"fail":"no good"}' >"$work/failure"
step 'a failed invocation is reported' is 'Unhandled' grep -o Unhandled "$work/told"
step 'the payload contains the error message' is '"errorMessage":"no good"' grep -o '"errorMessage":"no good"' "$work/failure"
# signed SERVICE ARGUMENT…: any service of the same endpoint.
signed() {
  aws --endpoint-url "https://$HOB_HOST" --region us-east-1 --output text "$@"
}

# logged PATTERN COMMAND…: whether the command prints that in time; lines reach the log shortly after the response.
logged() {
  local pattern=$1 tries=40 said
  shift
  while [ "$tries" -gt 0 ]; do
    said=$("$@") || return 1
    [[ $said == *"$pattern"* ]] && return
    tries=$((tries - 1))
  done
  printf 'no %s in %s\n' "$pattern" "$said"
  return 1
}

# follows: whether a tail that follows prints what is logged after it began.
follows() {
  timeout 60 "$aws_command" --endpoint-url "https://$HOB_HOST" --region us-east-1 logs tail /aws/lambda/by-awscli --follow --since 1m \
    >"$work/tail" 2>&1 &
  local tail=$! tries=60
  while [ "$tries" -gt 0 ] && ! grep -q 'only now' "$work/tail"; do
    invoke '{"fail":"only now"}' >"$work/ignored" || break
    tries=$((tries - 1))
  done
  kill "$tail"
  wait "$tail" 2>/dev/null
  grep -q 'only now' "$work/tail"
}

step 'STS shows the caller of the access key' is $'123456789012\tarn:aws:iam::123456789012:user/root' signed sts get-caller-identity \
  --query '[Account,Arn]'
# Version 1 has no `logs tail`.
if [[ $(aws --version 2>&1) == aws-cli/2* ]]; then
  step 'tails the log' logged 'no good' signed logs tail /aws/lambda/by-awscli --since 10m
  step 'follows the log' follows
fi
step 'filters the log' logged 'no good' signed logs filter-log-events --log-group-name /aws/lambda/by-awscli \
  --filter-pattern '"no good" -START'
step 'lists the log group' is /aws/lambda/by-awscli signed logs describe-log-groups \
  --log-group-name-prefix /aws/lambda/by-awscli --query 'logGroups[].logGroupName'
step 'lists the log streams' signed logs describe-log-streams --log-group-name /aws/lambda/by-awscli \
  --order-by LastEventTime --descending
refused_elsewhere() {
  local said
  said=$(signed "$@" 2>&1) && return 1
  [[ $said == *'is not supported by this server, which implements'* ]]
}
step 'another service is rejected with a readable error' refused_elsewhere iam list-users
step 'S3 is rejected with a readable error' refused_elsewhere s3api list-objects-v2 --bucket bucket
step 'an invalid configuration is rejected' refused_as InvalidParameterValueException update-function-configuration \
  --function-name by-awscli --layers arn:aws:lambda:us-east-1:123456789012:layer:none:1
step 'a stale revision is rejected' refused_as PreconditionFailedException update-function-configuration --function-name by-awscli \
  --description x --revision-id 00000000-0000-0000-0000-000000000000
step 'publishes a version' is 1 functions publish-version --function-name by-awscli --query Version
step 'an alias points to the version' is 1 functions create-alias --function-name by-awscli --name live --function-version 1 \
  --query FunctionVersion
step 'invokes the alias' is '"welcome, you"' invoke '{"name":"you"}' --qualifier live
step 'publishes a layer version' is 1 functions publish-layer-version --layer-name by-awscli \
  --zip-file "fileb://$work/code.zip" --query Version
step 'tags the function' functions tag-resource \
  --resource arn:aws:lambda:us-east-1:123456789012:function:by-awscli --tags team=one
step 'lists the tags' is one functions list-tags \
  --resource arn:aws:lambda:us-east-1:123456789012:function:by-awscli --query Tags.team
step 'lists the function' is by-awscli functions list-functions --query "Functions[?FunctionName=='by-awscli'].FunctionName"
step 'the alias is deleted' functions delete-alias --function-name by-awscli --name live
# queue OPERATION INPUT: not by the command line, of which some versions speak another protocol with queues.
queue() { curl -fsS -H "X-Amz-Target: AmazonSQS.$1" -H 'Content-Type: application/x-amz-json-1.0' -d "$2" "$QUEUE_URL"; }
waiting_messages() { queue GetQueueAttributes '{"AttributeNames":["All"]}' | grep -o 'ApproximateNumberOfMessages":"[0-9]*'; }
mapping() { functions create-event-source-mapping --function-name by-awscli --query UUID "$@"; }
step 'a queue that is not declared is rejected' refused_as InvalidParameterValueException create-event-source-mapping \
  --function-name by-awscli --event-source-arn "$QUEUE_ARN-2"
step 'a large batch without a window is rejected' refused_as InvalidParameterValueException create-event-source-mapping \
  --function-name by-awscli --event-source-arn "$QUEUE_ARN" --batch-size 11
uuid=$(mapping --event-source-arn "$QUEUE_ARN" --filter-criteria '{"Filters":[{"Pattern":"{\"body\":{\"kind\":[\"order\"]}}"}]}')
step 'creates an event source mapping' is $'10\tEnabled' functions get-event-source-mapping --uuid "$uuid" \
  --query '[BatchSize,State]'
step 'lists the mapping of the queue' is "$uuid" functions list-event-source-mappings --event-source-arn "$QUEUE_ARN" \
  --query 'EventSourceMappings[].UUID'
step 'a second mapping is rejected' refused_as ResourceConflictException create-event-source-mapping \
  --function-name by-awscli --event-source-arn "$QUEUE_ARN"
step 'sends a message' queue SendMessage '{"MessageBody":"{\"kind\":\"order\"}"}'
step 'sends one that the filter drops' queue SendMessage '{"MessageBody":"{\"kind\":\"offer\"}"}'
step 'the messages are processed' eventually 'ApproximateNumberOfMessages":"0' waiting_messages
step 'the last batch was processed' eventually OK functions get-event-source-mapping --uuid "$uuid" --query LastProcessingResult
step 'disables the mapping' is Disabling functions update-event-source-mapping --uuid "$uuid" --no-enabled --query State
step 'sets its concurrency' is 2 functions update-event-source-mapping --uuid "$uuid" \
  --scaling-config MaximumConcurrency=2 --query ScalingConfig.MaximumConcurrency
step 'deletes the mapping' is Deleting functions delete-event-source-mapping --uuid "$uuid" --query State
step 'the mapping is gone' refused_as ResourceNotFoundException get-event-source-mapping --uuid "$uuid"
step 'the function is deleted' functions delete-function --function-name by-awscli
step 'it is gone' refused_as ResourceNotFoundException get-function --function-name by-awscli
