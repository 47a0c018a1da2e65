import type { Transport, TransportResponse, CliContext } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import type { Credentials } from '../profile/profile.ts';
import { sign } from '../signing/sign.ts';
import type { WireRequest } from '../wire/build-request.ts';
import type { DebugLog } from './debug-log.ts';
import { type ConnectionOptions, readEndpoint } from './endpoint.ts';
import { NetworkError, networkMessage } from './network-problem.ts';
import { readServiceError } from './service-error.ts';

export interface SendOptions extends ConnectionOptions {
  readonly endpointUrl: string | undefined;
  readonly region: string;
  /** Undefined: the request goes without a signature. */
  readonly credentials: Credentials | undefined;
  readonly userAgent: string;
  readonly log: DebugLog | undefined;
}

/** What the service answered, be it an error. */
export interface ServiceResponse extends TransportResponse {
  /** How often the request was sent again, when the last attempt failed for a reason that would justify another. */
  readonly retriesExhausted: number | undefined;
}

type SendContext = Pick<CliContext, 'now' | 'random' | 'pause' | 'stderr' | 'transport'>;

/** Sends a request, again while that may help, each time with a signature of its own. */
export async function send(
  request: WireRequest,
  options: SendOptions,
  context: SendContext,
): Promise<ServiceResponse> {
  const endpoint = readEndpoint(options.endpointUrl, options.region);
  const transport = await openTransport(endpoint.origin, options, context);
  const path = endpoint.prefix + request.path;
  const url = endpoint.origin + path;
  const attempt = (): Promise<TransportResponse> => {
    const headers = {
      ...request.headers,
      host: endpoint.host,
      'user-agent': options.userAgent,
    };
    const signed = signedRequest({ ...request, path, headers }, options, context.now());
    options.log?.request(url, { ...request, headers: signed });
    return transport({ method: request.method, url, headers: signed, body: request.body });
  };
  for (let count = 1; ; count += 1) {
    const last = count >= options.retries.attemptsMax;
    const result = await outcome(attempt);
    if (result.kind === 'response') {
      options.log?.response(result.response);
      const retryable = isRetryable(result.response);
      if (!retryable) return { ...result.response, retriesExhausted: undefined };
      if (last) return { ...result.response, retriesExhausted: count - 1 };
    } else {
      options.log?.note('retry', `attempt ${count}: ${networkMessage(result.error.problem, url)}`);
      const { isAnswered, problem } = result.error;
      // A certificate does not become valid by asking again.
      if (last || problem.kind === 'tls' || (isAnswered && request.returnsPayload)) {
        throw new CliError(255, networkMessage(problem, url));
      }
    }
    await context.pause(pauseBefore(count, context.random));
  }
}

type Outcome =
  | { readonly kind: 'response'; readonly response: TransportResponse }
  | { readonly kind: 'unanswered'; readonly error: NetworkError };

async function outcome(attempt: () => Promise<TransportResponse>): Promise<Outcome> {
  try {
    return { kind: 'response', response: await attempt() };
  } catch (error) {
    if (error instanceof NetworkError) return { kind: 'unanswered', error };
    throw error;
  }
}

async function openTransport(
  origin: string,
  options: SendOptions,
  context: SendContext,
): Promise<Transport> {
  if (!options.verifySsl && origin.startsWith('https:')) {
    context.stderr.write(
      `InsecureRequestWarning: Unverified HTTPS request is being made to host '${new URL(origin).hostname}'. Adding certificate verification is strongly advised.\n`,
    );
  }
  if (context.transport !== undefined) return context.transport;
  return (await import('./http-transport.ts')).httpTransport(options);
}

function signedRequest(
  request: WireRequest,
  { credentials, region, log }: SendOptions,
  now: number,
): Readonly<Record<string, string>> {
  if (credentials === undefined) return request.headers;
  const signed = sign(request, { ...credentials, region }, now);
  log?.note('auth', `CanonicalRequest:\n${signed.canonicalRequest}`);
  log?.note('auth', `StringToSign:\n${signed.stringToSign}`);
  return signed.headers;
}

/** Whether the same request may succeed later (the standard retry mode of AWS clients). */
function isRetryable(response: TransportResponse): boolean {
  if (response.status < 300) return false;
  if (response.status === 429 || transientStatuses.has(response.status)) return true;
  return retryableCodes.has(readServiceError(response, '').code);
}

/** Milliseconds before the next attempt: doubled each time, and spread so that clients do not come back together. */
function pauseBefore(attempt: number, random: () => number): number {
  return Math.min(random() * 2 ** (attempt - 1), pauseSecondsMax) * 1000;
}

/** Seconds that the client pauses at most before it sends a request again. */
const pauseSecondsMax = 20;

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
