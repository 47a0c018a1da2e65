/** What is known of an event from outside of the pool, and of the environments it may run in. */
import type { RuntimeEvent } from '../../../runtime-api/runtime-channel.ts';
import type { VersionSpec } from '../../version-spec.ts';
import type { Invoked } from '../environment-pool.ts';
import type { FakeEnvironment } from './fake-environment.ts';

export interface ExpectedEvent {
  readonly event: RuntimeEvent;
  readonly subject: VersionSpec;
  deliveries: number;
  answer: Invoked | undefined;
}

export function isWaiting({ deliveries, answer }: ExpectedEvent): boolean {
  return deliveries === 0 && answer === undefined;
}

export function isSameGroup(one: ExpectedEvent, other: ExpectedEvent): boolean {
  const [a, b] = [one.subject, other.subject];
  return (
    a.versionId === b.versionId &&
    a.configurationId === b.configurationId &&
    a.tenantId === b.tenantId
  );
}

export function isOf({ subject }: FakeEnvironment, of: VersionSpec): boolean {
  return (
    subject.versionId === of.versionId &&
    subject.configurationId === of.configurationId &&
    subject.tenantId === of.tenantId
  );
}

export function isStarting({ state }: FakeEnvironment): boolean {
  return state === 'creating' || state === 'initialising';
}

export function hasFreeSlot({ state, events, subject }: FakeEnvironment): boolean {
  return state === 'ready' && events.size < (subject.concurrency ?? 1);
}
