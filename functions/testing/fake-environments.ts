import type { Outcome } from '../environments/environment.ts';
import type { EnvironmentPools, Invoked } from '../environments/environment-pools.ts';
import type { StartFailure, Subject } from '../environments/subject.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';

/** Environments without programs: a test says what they answer and sees what was asked of them. */
export interface FakeEnvironments extends EnvironmentPools {
  /** Every environment that was started ahead, oldest first. */
  readonly prepared: readonly Subject[];
  readonly invoked: readonly { readonly subject: Subject; readonly event: RuntimeEvent }[];
  readonly retired: readonly { readonly versionId: number; readonly keep: number | undefined }[];
  /** How many environments of a version are kept ready, by the name of the version. */
  readonly ready: ReadonlyMap<string, number>;
  /** From now on starts fail like this; undefined: they succeed. */
  failStarts(failure: StartFailure | undefined): void;
  /** From now on starts break, as by a fault of ours; undefined: they do not. */
  breakStarts(fault: Error | undefined): void;
  /** From now on invocations end like this; at first the event comes back as the answer. */
  answer(decide: (event: RuntimeEvent, subject: Subject) => Outcome | Promise<Outcome>): void;
  /** Keeps every start waiting until the function that is returned is called. */
  holdStarts(): () => void;
}

export function createFakeEnvironments(): FakeEnvironments {
  const prepared: Subject[] = [];
  const invoked: { subject: Subject; event: RuntimeEvent }[] = [];
  const retired: { versionId: number; keep: number | undefined }[] = [];
  const ready = new Map<string, number>();
  let failure: StartFailure | undefined;
  let fault: Error | undefined;
  let held: Promise<void> | undefined;
  let decide = (event: RuntimeEvent, _subject: Subject): Outcome | Promise<Outcome> => ({
    kind: 'response',
    payload: event.payload,
  });
  return {
    prepared,
    invoked,
    retired,
    ready,
    failStarts(next) {
      failure = next;
    },
    breakStarts(next) {
      fault = next;
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
    async prepare(subject) {
      prepared.push(subject);
      await held;
      if (fault) throw fault;
      return failure;
    },
    async keepReady(subject, count) {
      await held;
      if (!failure) ready.set(`${subject.functionName}:${subject.version}`, count);
      return failure;
    },
    async invoke(subject, event): Promise<Invoked> {
      invoked.push({ subject, event });
      const outcome = await decide(event, subject);
      return { kind: 'answered', outcome, logTail: Promise.resolve(Buffer.from('the log\n')) };
    },
    retire(versionId, keep) {
      retired.push({ versionId, keep });
    },
    async close() {},
  };
}
