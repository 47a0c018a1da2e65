import type { Clock } from '#platform/clock.ts';
import { present } from '#platform/present.ts';
import { traced } from '#platform/tracing.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { currentTraceHeader } from '../logs/trace-header.ts';
import { noLog } from '../logs/environment-log.ts';
import { noProgramError } from '../logs/platform-errors.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import { isQualified } from '../model/function-name.ts';
import { joinChain } from '../recursion/lineage.ts';
import { checkAddress, type Inactivity, type VersionSpecCache, type Targets } from './targets.ts';
import type { ConcurrencyLimiter, ThrottleReason } from './concurrency-limiter.ts';
import type { Invocable } from './invocation-store.ts';
import type { Traces } from './traces.ts';
import type { InvocationResult } from '../environments/execution-environment.ts';

/** One event for one version of a function. */
export interface Invocation {
  readonly requestId: string;
  /** Qualified exactly as invoked. */
  readonly functionArn: string;
  readonly payload: Uint8Array;
  /** The caller's trace header. */
  readonly traceHeader?: string;
  /** JSON text. */
  readonly clientContext?: string;
  readonly tenantId?: string;
}

/** What running functions needs; the whole service shares one of each. */
export interface RunPorts {
  readonly clock: Clock;
  readonly environments: EnvironmentPool;
  readonly targets: Targets;
  readonly versionSpecs: VersionSpecCache;
  readonly limiter: ConcurrencyLimiter;
  readonly traces: Traces;
  readonly inactivity: Inactivity;
}

/** A response, and the trace header of the function's requests. */
export interface RunResult extends InvocationResult {
  readonly traceHeader: string;
}

/** Runs a function and resolves with its response, or refuses when it cannot run now. */
export async function runFunction(
  ports: RunPorts,
  target: Invocable,
  invocation: Invocation,
): Promise<RunResult> {
  const lineage = joinChain(target, invocation.traceHeader);
  await refuseUnlessInvocable(ports.inactivity, target);
  const started = ports.limiter.begin(target);
  if (started.kind === 'throttled') throw tooManyRequests(started.reason);
  let result: RunResult;
  try {
    const attributes = {
      'aws.lambda.invoked_arn': invocation.functionArn,
      'faas.invocation_id': invocation.requestId,
    };
    result = await traced('invoke function', attributes, () =>
      runInEnvironment(ports, target, invocation, lineage),
    );
  } catch (error) {
    started.end();
    throw error;
  }
  // A streamed response counts until its end.
  if (result.outcome.kind === 'stream') result.outcome.trailer.then(started.end, started.end);
  else started.end();
  return result;
}

async function runInEnvironment(
  { environments, versionSpecs, traces }: RunPorts,
  target: Invocable,
  invocation: Invocation,
  lineage: string,
): Promise<RunResult> {
  const spec = await versionSpecs.of(target);
  if (!spec)
    throw new FunctionsError(
      'ResourceNotFoundException',
      `Function not found: ${invocation.functionArn}`,
    );
  const { tenantId, clientContext, traceHeader, ...event } = invocation;
  checkAddress(spec, { tenantId, qualified: isQualified(invocation.functionArn) });
  const trace = traces.begin(spec, traceHeader ?? currentTraceHeader(), lineage);
  const invoked = await environments.runEvent(
    tenantId === undefined ? spec : { ...spec, tenantId },
    {
      ...event,
      traceHeader: trace.header,
      ...present({ clientContext, tenantId }),
    },
  );
  const failed = invoked.kind !== 'answered' || invoked.outcome.kind === 'failed';
  trace.end({ requestId: event.requestId, failed });
  switch (invoked.kind) {
    case 'answered':
      return { ...invoked, traceHeader: trace.header };
    case 'throttled':
      throw tooManyRequests('ConcurrentInvocationLimitExceeded');
    case 'not-started': {
      const { code, text, fault } = invoked.failure;
      if (fault !== undefined) throw fault;
      // A failure of the function itself is a response, as on AWS; there was no environment that could log it.
      if (code.startsWith('FunctionError.')) {
        const failure = noProgramError(event.requestId, code, text);
        const logTail = Promise.resolve(noLog);
        return { outcome: { kind: 'failed', ...failure }, logTail, traceHeader: trace.header };
      }
      throw new FunctionsError(
        'ServiceException',
        `Starting the function failed (${code}): ${text}`,
      );
    }
    case 'lost':
      throw new FunctionsError(
        'ServiceException',
        `Internal error while running the function. RequestId: ${event.requestId}`,
      );
  }
}

/** Refuses a function that cannot be invoked now. An inactive one is activated, so that a later invocation finds it ready. */
export async function refuseUnlessInvocable(
  inactivity: Inactivity,
  target: Invocable,
): Promise<void> {
  if (target.state === 'Inactive') await inactivity.activate(target.versionId);
  checkInvocable(target);
  inactivity.markUsed(target.versionId);
}

/** Refuses a version that is pending or inactive, or has no active configuration, as a failed one. */
export function checkInvocable({ state, activeConfigurationId }: Invocable): void {
  if (activeConfigurationId !== undefined && state !== 'Pending' && state !== 'Inactive') return;
  throw new FunctionsError(
    'ResourceConflictException',
    `The operation cannot be performed at this time. The function is currently in the following state: ${state}`,
  );
}

function tooManyRequests(reason: ThrottleReason): FunctionsError {
  return new FunctionsError('TooManyRequestsException', 'Rate Exceeded.', { reason });
}
