#!/usr/bin/env bash
# terraform.sh PLUGINS: a function and the mapping of a queue by Terraform: applied, found unchanged, changed, and destroyed.
set -uo pipefail
. "$(dirname "$0")/steps.sh"

work=$HOB_WORK/terraform
mkdir -p "$work" && cd "$work" || exit 1
echo 'handler = lambda event, context: len(event["Records"])' >index.py
python3 -m zipfile -c code.zip index.py
cat >main.tf <<MAIN
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "batch" { default = 5 }

provider "aws" {
  region                      = "us-east-1"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  endpoints {
    lambda = "https://$HOB_HOST"
    sts    = "https://$HOB_HOST"
  }
}

resource "aws_lambda_function" "orders" {
  function_name    = "by-terraform"
  role             = "arn:aws:iam::123456789012:role/worker"
  runtime          = "python3.9"
  handler          = "index.handler"
  filename         = "code.zip"
  source_code_hash = filebase64sha256("code.zip")
}

resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn        = "$QUEUE_ARN"
  function_name           = aws_lambda_function.orders.arn
  batch_size              = var.batch
  function_response_types = ["ReportBatchItemFailures"]
  scaling_config { maximum_concurrency = 3 }
  filter_criteria {
    filter { pattern = jsonencode({ body = { kind = ["order"] } }) }
  }
}

output "batch" { value = aws_lambda_event_source_mapping.orders.batch_size }
output "state" { value = aws_lambda_event_source_mapping.orders.state }
MAIN

export TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
quiet() { terraform "$@" -no-color -input=false; }

step 'initializes' quiet init -plugin-dir="$1"
step 'creates the function and the mapping' quiet apply -auto-approve
step 'the mapping is enabled' is Enabled terraform output -raw state
step 'finds nothing to change' quiet plan -detailed-exitcode
step 'updates the mapping' quiet apply -auto-approve -var batch=7
step 'the mapping has the new size' is 7 terraform output -raw batch
step 'destroys both' quiet destroy -auto-approve -var batch=7
step 'nothing is left' is '' terraform state list
