import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decideRun, type RunAttempt, readResponse, readFunctionError } from './decide-run.ts';
import type { OperationOutline } from './operation-store.ts';
import { pageOfState, visibleOperations } from './execution-state.ts';

const now = 1_000_000;
const timings = { retryMilliseconds: 1000, failuresMax: 3 };
const decide = (attempt: RunAttempt, failures = 0, delays = 0): ReturnType<typeof decideRun> =>
  decideRun({ failures, delays }, attempt, timings, now);
const failed: RunAttempt = { kind: 'failed', error: { ErrorType: 'E' } };

describe('after an invocation', () => {
  it('that failed the execution is run again, later each time, and fails in the end', () => {
    assert.deepEqual(decide(failed), { kind: 'again', at: now + 1000, failures: 1, delays: 0 });
    assert.deepEqual(decide(failed, 1), { kind: 'again', at: now + 2000, failures: 2, delays: 0 });
    assert.deepEqual(decide(failed, 2), {
      kind: 'end',
      end: { status: 'FAILED', error: { ErrorType: 'E' } },
    });
  });

  it('that could not be run it is tried until the time of the execution is over', () => {
    const again = decide({ kind: 'not-run' }, 1, 40);
    assert.deepEqual(again, { kind: 'again', at: now + 300_000, failures: 1, delays: 41 });
  });

  it('that answered, it ends or is suspended as the response says', () => {
    const answered = (text: string): ReturnType<typeof decideRun> =>
      decide({ kind: 'answered', response: readResponse(Buffer.from(text)) });
    assert.deepEqual(answered('{"Status":"SUCCEEDED","Result":"1"}'), {
      kind: 'end',
      end: { status: 'SUCCEEDED', result: '1' },
    });
    assert.deepEqual(answered('{"Status":"SUCCEEDED"}'), {
      kind: 'end',
      end: { status: 'SUCCEEDED' },
    });
    assert.deepEqual(answered('{"Status":"FAILED","Error":{"ErrorType":"E","Other":1}}'), {
      kind: 'end',
      end: { status: 'FAILED', error: { ErrorType: 'E' } },
    });
    assert.deepEqual(answered('{"Status":"PENDING"}'), { kind: 'suspend' });
    for (const nonsense of [
      '',
      '1',
      '[]',
      '{"Status":"DONE"}',
      '{"Status":"SUCCEEDED","Result":1}',
    ]) {
      const decision = answered(nonsense);
      assert.ok(decision.kind === 'end' && decision.end.status === 'FAILED', nonsense);
      assert.equal(decision.end.error.ErrorType, 'Execution.InvalidAnswer');
    }
  });

  it('the error of a function is converted to an execution error', () => {
    const report = { errorType: 'TypeError', errorMessage: 'no', trace: ['at a', 1], other: 2 };
    assert.deepEqual(readFunctionError(Buffer.from(JSON.stringify(report))), {
      ErrorType: 'TypeError',
      ErrorMessage: 'no',
      StackTrace: ['at a'],
    });
    assert.deepEqual(readFunctionError(Buffer.from('broken')), {});
  });
});

describe('what a replay receives', () => {
  const outline = (id: string, given: Partial<OperationOutline> = {}): OperationOutline => ({
    id,
    position: 1,
    parentId: undefined,
    type: 'STEP',
    status: 'SUCCEEDED',
    replayChildren: false,
    updatedIn: 0,
    size: 10,
    ...given,
  });
  const context = (id: string, given: Partial<OperationOutline> = {}): OperationOutline =>
    outline(id, { type: 'CONTEXT', ...given });

  it('leaves out what is inside contexts that are over, unless they ask for it', () => {
    const all = [
      context('over'),
      outline('hidden', { parentId: 'over' }),
      context('inner', { parentId: 'over', status: 'STARTED' }),
      outline('deep', { parentId: 'inner' }),
      context('retained', { replayChildren: true }),
      outline('shown', { parentId: 'retained' }),
      context('open', { status: 'STARTED' }),
      outline('going', { parentId: 'open' }),
      context('failed', { status: 'FAILED' }),
      outline('lost', { parentId: 'failed' }),
    ];
    const ids = visibleOperations(all).map(({ id }) => id);
    assert.deepEqual(ids, ['over', 'retained', 'shown', 'open', 'going', 'failed']);
  });

  it('comes in pages that are neither too many nor too large', () => {
    const all = [1, 2, 3].map((position) => outline(`o${position}`, { position, size: 1000 }));
    const bounds = { items: 2, size: 100_000 };
    assert.deepEqual(pageOfState(all, 0, bounds), { ids: ['o1', 'o2'], next: 2 });
    assert.deepEqual(pageOfState(all, 2, bounds), { ids: ['o3'], next: undefined });
    assert.deepEqual(pageOfState(all, 0, { items: 9, size: 1500 }), { ids: ['o1'], next: 1 });
    assert.deepEqual(pageOfState(all, 0, { items: 9, size: 1 }), { ids: ['o1'], next: 1 });
    assert.deepEqual(pageOfState([], 0, bounds), { ids: [], next: undefined });
  });
});
