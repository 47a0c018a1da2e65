import type { S3ClientConfig } from '@aws-sdk/client-s3';

import type { S3Location } from './archives-location.ts';

/** Attempts of a request to the bucket of `HOB_CODE`. */
export const attemptsMax = 3;
/** Time to connect to the bucket of `HOB_CODE`. */
const connectMilliseconds = 3000;

export function clientOptions(
  { endpoint, region, key }: S3Location,
  socketTimeout: number,
): S3ClientConfig {
  return {
    region,
    maxAttempts: attemptsMax,
    // Those of the operator's shell often name this server, as the README has it.
    ignoreConfiguredEndpointUrls: true,
    // What the stores of others do not understand, and every archive is checked anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMilliseconds, socketTimeout },
    // It would write to the console; what fails is thrown as well.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(key && { credentials: { accessKeyId: key.id, secretAccessKey: key.secret } }),
  };
}
