import type { EnvironmentPool, Invoked } from '../environments/pool/environment-pool.ts';
import type { StartFailure, VersionSpec } from '../environments/version-spec.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import type { Outcome } from '../environments/execution-environment.ts';

/** Environments without programs: a test says what they answer and sees what was asked of them. */
export interface FakeEnvironments extends EnvironmentPool {
  /** Every environment that was started ahead, oldest first. */
  readonly prewarmed: readonly VersionSpec[];
  readonly invoked: readonly { readonly subject: VersionSpec; readonly event: RuntimeEvent }[];
  readonly drained: readonly { readonly versionId: number; readonly keep: number | undefined }[];
  /** How many environments of a version are provisioned, by the name of the version. */
  readonly provisioned: ReadonlyMap<string, number>;
  /** From now on starts fail like this; undefined: they succeed. */
  failStarts(failure: StartFailure | undefined): void;
  /** From now on invocations end like this; at first the event comes back as the answer. */
  answer(decide: (event: RuntimeEvent, subject: VersionSpec) => Outcome | Promise<Outcome>): void;
  /** Keeps every start waiting until the function that is returned is called. */
  holdStarts(): () => void;
}

export function createFakeEnvironments(): FakeEnvironments {
  const prewarmed: VersionSpec[] = [];
  const invoked: { subject: VersionSpec; event: RuntimeEvent }[] = [];
  const drained: { versionId: number; keep: number | undefined }[] = [];
  const provisioned = new Map<string, number>();
  let failure: StartFailure | undefined;
  let held: Promise<void> | undefined;
  let decide = (event: RuntimeEvent, _subject: VersionSpec): Outcome | Promise<Outcome> => ({
    kind: 'response',
    payload: event.payload,
  });
  return {
    prewarmed,
    invoked,
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
    async prewarm(subject) {
      prewarmed.push(subject);
      await held;
      return failure;
    },
    async ensureProvisioned(subject, count) {
      await held;
      if (!failure) provisioned.set(`${subject.functionName}:${subject.version}`, count);
      return failure;
    },
    async invoke(subject, event): Promise<Invoked> {
      if (failure) return { kind: 'not-started', failure };
      invoked.push({ subject, event });
      const outcome = await decide(event, subject);
      return { kind: 'answered', outcome, logTail: Promise.resolve(Buffer.from('the log\n')) };
    },
    drain(versionId, keep) {
      drained.push({ versionId, keep });
    },
    async close() {},
  };
}
