import type { Random } from '#platform/random.ts';

import type { VersionSpec } from '../environments/version-spec.ts';
import { checkAddress } from '../invocation/check-address.ts';
import type { Invocable } from '../invocation/invocation-store.ts';
import { retentionDaysDefault, type Caller, type NewExecution } from './execution.ts';

/** An invocation of a durable function. */
export interface DurableInvocation {
  /** Version or alias as invoked. */
  readonly qualifier: string | undefined;
  /** Undefined: one is generated. */
  readonly name: string | undefined;
  /** JSON. */
  readonly payload: Uint8Array;
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  readonly traceHeader: string | undefined;
  readonly caller: Caller | undefined;
}

/** The execution for an invocation, which must name a version, since an execution may run for long. */
export function newExecution(
  random: Random,
  target: Invocable,
  spec: VersionSpec,
  { payload, name, qualifier = '', ...invocation }: DurableInvocation,
): NewExecution {
  const { tenantId } = invocation;
  checkAddress(spec, { tenantId, qualified: qualifier !== '' });
  const { ExecutionTimeout = 0, RetentionPeriodInDays = retentionDaysDefault } =
    spec.configuration.DurableConfig ?? {};
  return {
    ...invocation,
    functionId: target.functionId,
    functionName: spec.functionName,
    name: name ?? random.id(),
    key: random.id(),
    version: target.version,
    qualifier,
    input: Buffer.from(payload).toString(),
    timeoutSeconds: ExecutionTimeout,
    retentionDays: RetentionPeriodInDays,
  };
}
