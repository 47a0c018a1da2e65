/** What is known of an event from outside of the pool, and of the environments it may run in. */
import type { RuntimeEvent } from '../../../runtime-api/runtime-channel.ts';
import type { VersionSpec } from '../../version-spec.ts';
import type { EventOutcome } from '../environment-pool.ts';
import type { FakeEnvironment } from './fake-environment.ts';

export interface ExpectedEvent {
  readonly event: RuntimeEvent;
  readonly spec: VersionSpec;
  deliveries: number;
  answer: EventOutcome | undefined;
}

export function isWaiting({ deliveries, answer }: ExpectedEvent): boolean {
  return deliveries === 0 && answer === undefined;
}

export function isSameGroup(one: ExpectedEvent, other: ExpectedEvent): boolean {
  const [a, b] = [one.spec, other.spec];
  return (
    a.versionId === b.versionId &&
    a.configurationId === b.configurationId &&
    a.tenantId === b.tenantId
  );
}

export function isOf({ spec }: FakeEnvironment, of: VersionSpec): boolean {
  return (
    spec.versionId === of.versionId &&
    spec.configurationId === of.configurationId &&
    spec.tenantId === of.tenantId
  );
}

export function isStarting({ state }: FakeEnvironment): boolean {
  return state === 'creating' || state === 'initialising';
}

export function hasFreeSlot({ state, events, spec }: FakeEnvironment): boolean {
  return state === 'ready' && events.size < (spec.concurrency ?? 1);
}
