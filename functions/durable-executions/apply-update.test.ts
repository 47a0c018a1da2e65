import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { FunctionsError } from '../errors/functions-error.ts';
import { applyOperationUpdate, type Changed } from './apply-update.ts';
import { checkUpdates } from './checkpoint.ts';
import { complete, heartbeat } from './callbacks.ts';
import { applyTimers } from './changes.ts';
import { isOver, type DurableOperation, type OperationUpdate } from './operation.ts';

const now = 1_000_000;
const context = { now, newCallbackId: () => 'callback1' };

type Partly = Partial<OperationUpdate> & Pick<OperationUpdate, 'Type' | 'Action'>;

const update = (given: Partly): OperationUpdate => ({ Id: 'one', ...given });

/** An operation after updates, each applied to what the one before has left. */
function after(...updates: readonly Partly[]): Changed {
  let changed: Changed | undefined;
  for (const given of updates)
    changed = applyOperationUpdate(changed?.operation, update(given), context);
  if (!changed) throw new Error('No update was given.');
  return changed;
}

const start = (Type: OperationUpdate['Type'], given: Partial<OperationUpdate> = {}): Partly => ({
  Type,
  Action: 'START',
  ...given,
});
const step = (Action: OperationUpdate['Action'], given: Partial<OperationUpdate> = {}): Partly => ({
  Type: 'STEP',
  Action,
  ...given,
});
const wait = start('WAIT', { WaitOptions: { WaitSeconds: 2 } });
const retry = step('RETRY', { StepOptions: { NextAttemptDelaySeconds: 3 } });
const callback = start('CALLBACK', {
  CallbackOptions: { TimeoutSeconds: 10, HeartbeatTimeoutSeconds: 4 },
});
const chained = start('CHAINED_INVOKE', {
  ChainedInvokeOptions: { FunctionName: 'other' },
  Payload: '{}',
});

describe('an update that is refused', () => {
  const refused: readonly (readonly [string, readonly Partly[], RegExp])[] = [
    ['starts a step twice', [step('START'), step('START')], /its status is STARTED\.$/],
    ['starts a step that waits', [step('START'), retry, step('START')], /its status is PENDING\.$/],
    ['ends a step twice', [step('SUCCEED'), step('FAIL')], /its status is SUCCEEDED\.$/],
    ['cancels a step', [step('START'), step('CANCEL')], /CANCEL is not possible/],
    ['tries again without a delay', [step('START'), step('RETRY')], /NextAttemptDelaySeconds/],
    [
      'tries again with an error and a payload',
      [step('START'), { ...retry, Error: {}, Payload: '1' }],
      /not both/,
    ],
    ['succeeds with an error', [step('SUCCEED', { Error: {} })], /takes no Error/],
    ['fails with a payload', [step('FAIL', { Payload: '1' })], /takes no Payload/],
    ['is of another type', [step('START'), wait], /is a STEP and cannot be updated as a WAIT/],
    ['waits for no time', [start('WAIT')], /requires WaitSeconds/],
    ['starts a wait twice', [wait, wait], /its status is STARTED\.$/],
    ['ends a wait', [wait, { Type: 'WAIT', Action: 'SUCCEED' }], /SUCCEED is not possible/],
    ['cancels no wait', [{ Type: 'WAIT', Action: 'CANCEL' }], /was not started/],
    ['ends a callback', [callback, { Type: 'CALLBACK', Action: 'SUCCEED' }], /not possible/],
    ['ends what was never started', [{ Type: 'CALLBACK', Action: 'FAIL' }], /was not started/],
    ['invokes nothing', [start('CHAINED_INVOKE')], /requires a FunctionName/],
    ['starts a context twice', [start('CONTEXT'), start('CONTEXT')], /its status is STARTED\.$/],
    [
      'ends a context twice',
      [
        { Type: 'CONTEXT', Action: 'SUCCEED' },
        { Type: 'CONTEXT', Action: 'FAIL' },
      ],
      /its status is SUCCEEDED\.$/,
    ],
  ];
  for (const [what, updates, message] of refused) {
    it(what, () => {
      assert.throws(
        () => after(...updates),
        (error) => {
          assert.ok(error instanceof FunctionsError);
          assert.equal(error.code, 'InvalidParameterValueException');
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});

describe('updates of one checkpoint', () => {
  const check = (...updates: readonly OperationUpdate[]): void =>
    checkUpdates(updates, new Map([['open', after(start('CONTEXT')).operation]]));
  const end = update({ Type: 'EXECUTION', Action: 'SUCCEED' });

  it('do not update an operation twice', () => {
    assert.throws(() => check(update(wait), update(wait)), /updated twice/);
    assert.throws(() => check(update(step('SUCCEED')), update(step('FAIL'))), /updated twice/);
  });

  it('end the execution last, and once', () => {
    assert.throws(() => check(end, update(step('START'))), /must be the last/);
    assert.throws(() => check(end, end), /must be the last/);
    assert.throws(() => check({ ...end, Action: 'START' }), /not possible for an EXECUTION/);
  });

  it('are inside of contexts only', () => {
    assert.throws(() => check({ ...update(step('START')), ParentId: 'none' }), /is not a context/);
    const parent = { ...update(step('START')), Id: 'parent' };
    assert.throws(() => check(parent, { ...update(wait), ParentId: 'parent' }), /is not a context/);
  });

  it('are of a size that can be stored', () => {
    const long = 'x'.repeat(1_048_577);
    assert.throws(() => check(update(step('SUCCEED', { Payload: long }))), /at most 1048576 bytes/);
    assert.throws(
      () => check(update(step('FAIL', { Error: { ErrorData: long } }))),
      /at most 1048576 bytes/,
    );
    check({ ...end, Payload: long });
  });

  it('start and end a step or a context at once', () => {
    const child = { ...update(start('CONTEXT')), Id: 'child', ParentId: 'open' };
    check(
      child,
      { ...update(step('START')), ParentId: 'child' },
      { ...update(step('SUCCEED')), ParentId: 'child' },
      { ...child, Action: 'SUCCEED' },
      end,
    );
  });
});

describe('an operation', () => {
  it('that is a step is tried, tried again and succeeds', () => {
    const failed = after(step('START'), { ...retry, Error: { ErrorMessage: 'not yet' } });
    assert.deepEqual(failed.operation, {
      id: 'one',
      type: 'STEP',
      status: 'PENDING',
      startedAt: now,
      attempt: 1,
      nextAttemptAt: now + 3000,
      error: { ErrorMessage: 'not yet' },
    });
    assert.deepEqual(failed.events, [
      {
        type: 'StepFailed',
        at: now,
        operation: { id: 'one' },
        attempt: 1,
        delaySeconds: 3,
        error: { ErrorMessage: 'not yet' },
      },
    ]);
    assert.equal(applyTimers(failed.operation, now + 2999), undefined);
    const ready = applyTimers(failed.operation, now + 3000);
    assert.equal(ready?.operation.status, 'READY');
    const again = applyOperationUpdate(ready?.operation, update(step('START')), context);
    assert.equal(again.operation.status, 'STARTED');
    const done = applyOperationUpdate(
      again.operation,
      update(step('SUCCEED', { Payload: '1' })),
      context,
    );
    assert.deepEqual(done.operation, {
      id: 'one',
      type: 'STEP',
      status: 'SUCCEEDED',
      startedAt: now,
      endedAt: now,
      attempt: 1,
      result: '1',
    });
    assert.equal(done.events[0]?.attempt, 2);
  });

  it('that looks for something keeps what it saw for its next attempt', () => {
    const seen = after(step('START'), { ...retry, Payload: '{"seen":1}' });
    assert.equal(seen.events[0]?.type, 'StepSucceeded');
    const ready = applyTimers(seen.operation, now + 3000);
    const again = applyOperationUpdate(ready?.operation, update(step('START')), context);
    assert.equal(again.operation.result, '{"seen":1}');
  });

  it('that was never started starts with its end', () => {
    const { operation, events } = after(step('FAIL', { Error: { ErrorType: 'E' } }));
    assert.equal(operation.status, 'FAILED');
    assert.deepEqual(
      events.map(({ type }) => type),
      ['StepStarted', 'StepFailed'],
    );
  });

  it('that waits is over when its time is', () => {
    const { operation, events } = after(wait);
    assert.equal(events[0]?.endsAt, now + 2000);
    assert.equal(applyTimers(operation, now + 1999), undefined);
    const over = applyTimers(operation, now + 2500);
    assert.equal(over?.operation.status, 'SUCCEEDED');
    assert.equal(over?.operation.endedAt, now + 2500);
    const cancelled = applyOperationUpdate(
      operation,
      update({ Type: 'WAIT', Action: 'CANCEL' }),
      context,
    );
    assert.equal(cancelled.operation.status, 'CANCELLED');
    assert.equal(applyTimers(cancelled.operation, now + 2500), undefined);
  });

  it('that is a callback is given up when it takes too long, or is silent for too long', () => {
    const waiting = callbackAfter(callback);
    assert.equal(applyTimers(waiting, now + 3999), undefined);
    assert.equal(
      applyTimers(waiting, now + 4000)?.operation.error?.ErrorType,
      'Callback.Heartbeat',
    );
    const alive = heartbeat(heartbeat(waiting, now + 3000), now + 6500);
    assert.equal(applyTimers(alive, now + 9999), undefined);
    const late = applyTimers(alive, now + 10_000)?.operation;
    assert.equal(late?.status, 'TIMED_OUT');
    assert.equal(late?.error?.ErrorType, 'Callback.Timeout');
    const endless = callbackAfter(start('CALLBACK', { CallbackOptions: { TimeoutSeconds: 0 } }));
    assert.equal(applyTimers(endless, Number.MAX_SAFE_INTEGER), undefined);
    assert.equal(heartbeat(endless, now), endless);
  });

  it('that others end is ended as they say', () => {
    const { operation } = after(chained);
    assert.equal(operation.type, 'CHAINED_INVOKE');
    if (operation.type !== 'CHAINED_INVOKE') return;
    const good = complete(operation, { status: 'SUCCEEDED', result: '2' }, now + 1);
    assert.equal(good.operation.result, '2');
    assert.equal(good.events[0]?.type, 'ChainedInvokeSucceeded');
    const stopped = complete(operation, { status: 'STOPPED', error: {} }, now + 1);
    assert.equal(stopped.events[0]?.type, 'ChainedInvokeStopped');
    const answered = complete(callbackAfter(callback), { status: 'FAILED', error: {} }, now + 1);
    assert.equal(answered.events[0]?.type, 'CallbackFailed');
  });
});

describe('whatever a program says of an operation', () => {
  const types = ['STEP', 'CONTEXT', 'WAIT', 'CALLBACK', 'CHAINED_INVOKE'] as const;
  const any = fc.record(
    {
      Type: fc.constantFrom(...types),
      Action: fc.constantFrom('START', 'SUCCEED', 'FAIL', 'RETRY', 'CANCEL'),
      Payload: fc.string(),
      Error: fc.record({ ErrorMessage: fc.string() }),
      StepOptions: fc.record({ NextAttemptDelaySeconds: fc.integer({ min: 1, max: 3 }) }),
      WaitOptions: fc.record({ WaitSeconds: fc.integer({ min: 1, max: 3 }) }),
      CallbackOptions: fc.record({ HeartbeatTimeoutSeconds: fc.integer({ min: 0, max: 3 }) }),
      ChainedInvokeOptions: fc.record({ FunctionName: fc.constant('other') }),
    },
    { requiredKeys: ['Type', 'Action'] },
  );

  it('is refused or makes sense, and what is over stays as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(any, fc.boolean()), { maxLength: 12 }), (story) => {
        let current: DurableOperation | undefined;
        for (const [index, [said, timePasses]] of story.entries()) {
          const at = now + index * 4000;
          const before = current;
          try {
            const reportedOperations: OperationUpdate = { Id: 'one', ...said };
            current = applyOperationUpdate(current, reportedOperations, {
              ...context,
              now: at,
            }).operation;
          } catch (error) {
            assert.ok(error instanceof FunctionsError, String(error));
          }
          if (timePasses && current)
            current = applyTimers(current, at + 3000)?.operation ?? current;
          if (before && isOver(before)) assert.equal(current, before);
          if (current) assert.equal(isOver(current), current.endedAt !== undefined);
        }
      }),
      { seed: 20_251_201, numRuns: 500 },
    );
  });
});

function callbackAfter(given: Partly): Extract<DurableOperation, { type: 'CALLBACK' }> {
  const { operation } = after(given);
  if (operation.type !== 'CALLBACK') throw new Error('A callback was expected.');
  return operation;
}
