import type { TransportAnswer } from '../context/cli-context.ts';
import { readServiceError } from './service-error.ts';

/** Whether the same request may succeed later (the standard retry mode of AWS clients). */
export function isRetryable(answer: TransportAnswer): boolean {
  if (answer.status < 300) return false;
  if (answer.status === 429 || transientStatuses.has(answer.status)) return true;
  return retryableCodes.has(readServiceError(answer, '').code);
}

/** Milliseconds before the next attempt: doubled each time, and spread so that clients do not come back together. */
export function pauseBefore(attempt: number, random: () => number): number {
  return Math.min(random() * 2 ** (attempt - 1), pauseMax) * 1000;
}

const pauseMax = 20;
const transientStatuses = new Set([500, 502, 503, 504]);
const retryableCodes = new Set([
  'RequestTimeout',
  'RequestTimeoutException',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'RequestThrottledException',
  'RequestThrottled',
  'TooManyRequestsException',
  'ProvisionedThroughputExceededException',
  'TransactionInProgressException',
  'RequestLimitExceeded',
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'SlowDown',
  'PriorRequestNotComplete',
  'EC2ThrottledException',
]);
