import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decideEvent, type EventAttempt } from './decide-event.ts';
import { usualHandling, usualTimings } from './event.ts';

const refusal = { status: 429, message: 'Rate Exceeded.' };
const notRun: EventAttempt = { kind: 'not-run', refusal };
const ran = (failed: boolean): EventAttempt => ({
  kind: 'ran',
  result: { failed, payload: Buffer.from('{}'), version: '$LATEST', traceHeader: '' },
});
const fresh = { acceptedAt: 0, attempts: 0, delays: 0 };
const hour = 3_600_000;

describe('what becomes of an event', () => {
  const decide = (
    attempt: EventAttempt,
    event: Partial<typeof fresh> = {},
    handling: Partial<typeof usualHandling> = {},
    now = 0,
  ): unknown =>
    decideEvent(
      { ...fresh, ...event },
      attempt,
      { ...usualHandling, ...handling },
      usualTimings,
      now,
    );

  it('is finished when nothing may run it', () => {
    for (const condition of ['ZeroReservedConcurrency', 'RecursiveInvocation'] as const) {
      assert.deepEqual(decide({ kind: 'blocked', condition, refusal }, { attempts: 1 }), {
        kind: 'finished',
        condition,
        attempts: 1,
      });
    }
  });

  it('is tried twice again when the function fails, after one and two minutes', () => {
    assert.deepEqual(decide(ran(true)), { kind: 'again', at: 60_000, attempts: 1, delays: 0 });
    assert.deepEqual(decide(ran(true), { attempts: 1, delays: 3 }), {
      kind: 'again',
      at: 120_000,
      attempts: 2,
      delays: 0,
    });
    const exhausted = { kind: 'finished', condition: 'RetriesExhausted' };
    assert.deepEqual(decide(ran(true), { attempts: 2 }), { ...exhausted, attempts: 3 });
    assert.deepEqual(decide(ran(true), {}, { retryAttemptsMax: 0 }), { ...exhausted, attempts: 1 });
  });

  it('is given up when it would be too old at the next try', () => {
    const aged = { kind: 'finished', condition: 'EventAgeExceeded', attempts: 1 };
    assert.deepEqual(decide(ran(true), {}, { ageSecondsMax: 60 }, 1), aged);
    assert.deepEqual(decide(notRun, { attempts: 1 }, {}, 6 * hour), aged);
  });

  it('waits longer and longer while it cannot be run, five minutes at most', () => {
    for (const [delays, pause] of [
      [0, 1000],
      [1, 2000],
      [8, 256_000],
      [9, 300_000],
      [5000, 300_000],
    ] as const) {
      assert.deepEqual(decide(notRun, { delays, attempts: 2 }), {
        kind: 'again',
        at: pause,
        attempts: 2,
        delays: delays + 1,
      });
    }
  });

  it('is finished when the function succeeds', () => {
    assert.deepEqual(decide(ran(false), { attempts: 1 }), {
      kind: 'finished',
      condition: 'Success',
      attempts: 2,
    });
  });
});
