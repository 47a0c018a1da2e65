import type { EnvironmentPool, EventOutcome } from '../environments/pool/environment-pool.ts';
import type { StartFailure, VersionSpec } from '../environments/version-spec.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import type { FunctionOutcome } from '../environments/execution-environment.ts';

/** Environments without programs: a test says what they answer and sees what was asked of them. */
export interface FakeEnvironments extends EnvironmentPool {
  /** Every environment that was prewarmed, oldest first. */
  readonly prewarmed: readonly VersionSpec[];
  readonly invoked: readonly { readonly spec: VersionSpec; readonly event: RuntimeEvent }[];
  /** Which functions could keep their environments, each time that was asked. */
  readonly retained: readonly ((functionName: string) => boolean)[];
  readonly drained: readonly { readonly versionId: number; readonly keep: number | undefined }[];
  /** How many environments of a version are provisioned, by the name of the version. */
  readonly provisioned: ReadonlyMap<string, number>;
  /** From now on starts fail like this; undefined: they succeed. */
  failStarts(failure: StartFailure | undefined): void;
  /** From now on invocations end like this; at first the event comes back as the answer. */
  answer(
    decide: (event: RuntimeEvent, spec: VersionSpec) => FunctionOutcome | Promise<FunctionOutcome>,
  ): void;
  /** Keeps every start waiting until the function that is returned is called. */
  holdStarts(): () => void;
}

export function createFakeEnvironments(): FakeEnvironments {
  const prewarmed: VersionSpec[] = [];
  const invoked: { spec: VersionSpec; event: RuntimeEvent }[] = [];
  const retained: ((functionName: string) => boolean)[] = [];
  const drained: { versionId: number; keep: number | undefined }[] = [];
  const provisioned = new Map<string, number>();
  const snapshots = new Set<number>();
  const provisionedSpecs = new Map<string, VersionSpec>();
  let failure: StartFailure | undefined;
  let held: Promise<void> | undefined;
  let decide = (
    event: RuntimeEvent,
    _spec: VersionSpec,
  ): FunctionOutcome | Promise<FunctionOutcome> => ({
    kind: 'response',
    payload: event.payload,
  });
  return {
    prewarmed,
    invoked,
    retained,
    drained,
    provisioned,
    failStarts(next) {
      failure = next;
    },
    answer(next) {
      decide = next;
    },
    holdStarts() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    async prewarm(spec) {
      prewarmed.push(spec);
      if (spec.fromSnapshot) snapshots.add(spec.versionId);
      await held;
      return failure;
    },
    async ensureProvisioned(spec, count) {
      await held;
      if (failure) return failure;
      const key = `${spec.functionName}:${spec.version}`;
      provisioned.set(key, count);
      provisionedSpecs.set(key, spec);
      return undefined;
    },
    releaseProvisioned(name, except) {
      for (const [key, { functionName, versionId }] of provisionedSpecs) {
        if (functionName === name && !except.has(versionId)) provisioned.set(key, 0);
      }
    },
    async runEvent(spec, event): Promise<EventOutcome> {
      if (failure) return { kind: 'not-started', failure };
      invoked.push({ spec, event });
      if (spec.fromSnapshot) snapshots.add(spec.versionId);
      const outcome = await decide(event, spec);
      return {
        kind: 'answered',
        outcome,
        logTail: Promise.resolve({ bytes: () => Buffer.from('the log\n') }),
      };
    },
    drain(versionId, keep) {
      drained.push({ versionId, keep });
      if (keep === undefined) snapshots.delete(versionId);
    },
    retain(isOwn) {
      retained.push(isOwn);
    },
    snapshotVersionIds: () => new Set(snapshots),
    reap() {},
    counts: () => ({ now: { starting: 0, idle: 0, busy: 0, draining: 0 }, started: 0 }),
    async close() {},
  };
}
