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
    echo 'this was let through'
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

step 'nothing is there' refused_as ResourceNotFoundException get-function --function-name by-awscli
step 'a function is made' is by-awscli functions create-function --function-name by-awscli --runtime nodejs24.x \
  --role arn:aws:iam::123456789012:role/worker --handler index.handler --zip-file "fileb://$work/code.zip" \
  --query FunctionName
step 'it becomes active' functions wait function-active-v2 --function-name by-awscli
step 'it answers' is '"hello, you"' invoke '{"name":"you"}'
step 'its settings are changed' is InProgress functions update-function-configuration --function-name by-awscli \
  --memory-size 256 --timeout 5 --description 'by hand' --environment 'Variables={GREETING=welcome}' \
  --query LastUpdateStatus
step 'the change is applied' functions wait function-updated-v2 --function-name by-awscli
step 'they are what was asked for' is $'256\t5\tby hand\twelcome' functions get-function-configuration \
  --function-name by-awscli --query '[MemorySize,Timeout,Description,Environment.Variables.GREETING]'
step 'the function sees them' is '"welcome, you"' invoke '{"name":"you"}'
invoke '{"fail":"no good"}' >"$work/failure"
step 'a failure is told' is 'Unhandled' grep -o Unhandled "$work/told"
step 'its words are the answer' is '"errorMessage":"no good"' grep -o '"errorMessage":"no good"' "$work/failure"
# signed SERVICE ARGUMENT…: any service of the same endpoint.
signed() {
  aws --endpoint-url "https://$HOB_HOST" --region us-east-1 --output text "$@"
}

# logged PATTERN COMMAND…: whether the command prints that before long; lines reach the log a moment after the answer.
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

step 'its key is known' is $'123456789012\tarn:aws:iam::123456789012:user/root' signed sts get-caller-identity \
  --query '[Account,Arn]'
# Version 1 has no `logs tail`.
if [[ $(aws --version 2>&1) == aws-cli/2* ]]; then
  step 'its log is tailed' logged 'no good' signed logs tail /aws/lambda/by-awscli --since 10m
  step 'its log is followed' follows
fi
step 'its log is filtered' logged 'no good' signed logs filter-log-events --log-group-name /aws/lambda/by-awscli \
  --filter-pattern '"no good" -START'
step 'its log group is listed' is /aws/lambda/by-awscli signed logs describe-log-groups \
  --log-group-name-prefix /aws/lambda/by-awscli --query 'logGroups[].logGroupName'
step 'its streams are listed' signed logs describe-log-streams --log-group-name /aws/lambda/by-awscli \
  --order-by LastEventTime --descending
refused_elsewhere() {
  local said
  said=$(signed "$@" 2>&1) && return 1
  [[ $said == *'not the service that was asked for'* ]]
}
step 'other services are refused readably' refused_elsewhere iam list-users
step 'S3 as well' refused_elsewhere s3api list-objects-v2 --bucket bucket
step 'wrong settings are refused' refused_as InvalidParameterValueException update-function-configuration \
  --function-name by-awscli --layers arn:aws:lambda:us-east-1:123456789012:layer:none:1
step 'a stale revision is refused' refused_as PreconditionFailedException update-function-configuration --function-name by-awscli \
  --description x --revision-id 00000000-0000-0000-0000-000000000000
step 'a version is published' is 1 functions publish-version --function-name by-awscli --query Version
step 'an alias points at it' is 1 functions create-alias --function-name by-awscli --name live --function-version 1 \
  --query FunctionVersion
step 'the alias answers' is '"welcome, you"' invoke '{"name":"you"}' --qualifier live
step 'a layer is published' is 1 functions publish-layer-version --layer-name by-awscli \
  --zip-file "fileb://$work/code.zip" --query Version
step 'the function is tagged' functions tag-resource \
  --resource arn:aws:lambda:us-east-1:123456789012:function:by-awscli --tags team=one
step 'its tags are listed' is one functions list-tags \
  --resource arn:aws:lambda:us-east-1:123456789012:function:by-awscli --query Tags.team
step 'it is listed' is by-awscli functions list-functions --query "Functions[?FunctionName=='by-awscli'].FunctionName"
step 'the alias is deleted' functions delete-alias --function-name by-awscli --name live
step 'the function is deleted' functions delete-function --function-name by-awscli
step 'it is gone' refused_as ResourceNotFoundException get-function --function-name by-awscli
