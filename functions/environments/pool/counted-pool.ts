import type { EnvironmentPool, Invoked } from './environment-pool.ts';

export type InvocationResult = 'succeeded' | 'failed' | Exclude<Invoked['kind'], 'answered'>;

/** What environments did since the program started. */
export interface InvocationCounts {
  inProgress: number;
  readonly ended: Record<InvocationResult, number>;
}

export function noInvocations(): InvocationCounts {
  const ended = { succeeded: 0, failed: 0, throttled: 0, 'not-started': 0, lost: 0 };
  return { inProgress: 0, ended };
}

/** The same pool, which counts its invocations. */
export function countInvocations(pool: EnvironmentPool, counts: InvocationCounts): EnvironmentPool {
  return {
    async invoke(spec, event) {
      counts.inProgress += 1;
      try {
        const invoked = await pool.invoke(spec, event);
        counts.ended[resultOf(invoked)] += 1;
        return invoked;
      } finally {
        counts.inProgress -= 1;
      }
    },
    prewarm: (spec) => pool.prewarm(spec),
    ensureProvisioned: (spec, count) => pool.ensureProvisioned(spec, count),
    releaseProvisioned: (name, except) => pool.releaseProvisioned(name, except),
    retain: (isOwn) => pool.retain(isOwn),
    drain: (versionId, keepConfigurationId) => pool.drain(versionId, keepConfigurationId),
    reap: (forward) => pool.reap(forward),
    counts: () => pool.counts(),
    close: () => pool.close(),
  };
}

/** A streamed response counts as a success: whether it ends with an error shows later. */
function resultOf(invoked: Invoked): InvocationResult {
  if (invoked.kind !== 'answered') return invoked.kind;
  return invoked.outcome.kind === 'failed' ? 'failed' : 'succeeded';
}
