// @ts-check
/** The second parameter of a handler. */
'use strict';

const settings = require('./settings.cjs');

// Looking into the environment costs a microsecond for each: too much for every event.
const {
  AWS_LAMBDA_FUNCTION_VERSION: functionVersion,
  AWS_LAMBDA_FUNCTION_NAME: functionName,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryLimitInMB,
  AWS_LAMBDA_LOG_GROUP_NAME: logGroupName,
  AWS_LAMBDA_LOG_STREAM_NAME: logStreamName,
} = process.env;

/**
 * @param {Map<string, string>} headers
 * @returns {Record<string, unknown>}
 */
function contextOf(headers) {
  const deadline = Number(headers.get('lambda-runtime-deadline-ms'));
  return {
    functionVersion,
    functionName,
    memoryLimitInMB,
    logGroupName,
    logStreamName,
    clientContext: parsed(headers.get('lambda-runtime-client-context'), 'ClientContext'),
    identity: parsed(headers.get('lambda-runtime-cognito-identity'), 'CognitoIdentity'),
    invokedFunctionArn: headers.get('lambda-runtime-invoked-function-arn'),
    awsRequestId: headers.get('lambda-runtime-aws-request-id'),
    tenantId: headers.get('lambda-runtime-aws-tenant-id'),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

/**
 * Libraries for tracing read the header of the event from the environment.
 * @param {Map<string, string>} headers
 */
function setTrace(headers) {
  // With several events at a time there is no one header that it could be.
  if (settings.concurrency > 1) return;
  const trace = headers.get('lambda-runtime-trace-id');
  if (trace === undefined) delete process.env['_X_AMZN_TRACE_ID'];
  else process.env['_X_AMZN_TRACE_ID'] = trace;
}

/**
 * @param {string | undefined} text
 * @param {string} name
 */
function parsed(text, name) {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Cannot parse ${name} as json: ${String(error)}`, { cause: error });
  }
}

module.exports = { contextOf, setTrace };
