import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type HistoryEntry, timelineOf } from './execution-timeline.ts';
import { timelineView } from './execution-timeline-view.ts';

/** A day in 2026, in seconds. */
const start = 1_790_000_000;
const event = (
  EventType: NonNullable<HistoryEntry['EventType']>,
  after: number,
  more: Partial<HistoryEntry> = {},
): HistoryEntry => ({ EventType, EventTimestamp: start + after, ...more });

describe('the timeline of a durable execution', () => {
  test('has a row for each operation, and a span for each attempt of a step', () => {
    const step = { Id: 's', Name: 'charge', SubType: 'Step' };
    const rows = timelineOf([
      event('ExecutionStarted', 0, { Id: 'x' }),
      event('StepStarted', 1, step),
      event('StepFailed', 2, step),
      event('InvocationCompleted', 2, {
        InvocationCompletedDetails: {
          StartTimestamp: start,
          EndTimestamp: start + 2,
          RequestId: 'r',
        },
      }),
      event('StepStarted', 5, step),
      event('StepSucceeded', 7, step),
      event('ExecutionSucceeded', 8, { Id: 'x' }),
    ]);
    assert.deepEqual(rows, [
      {
        label: 'The program',
        kind: 'Invocations',
        depth: 0,
        endsAt: undefined,
        spans: [{ start, end: start + 2, state: 'succeeded' }],
      },
      {
        label: 'charge',
        kind: 'Step',
        depth: 0,
        endsAt: undefined,
        spans: [
          { start: start + 1, end: start + 2, state: 'failed' },
          { start: start + 5, end: start + 7, state: 'succeeded' },
        ],
      },
    ]);
  });

  test('shows what is under way, where a wait ends, and contexts around operations', () => {
    const rows = timelineOf([
      event('ContextStarted', 0, { Id: 'c', Name: 'orders' }),
      event('WaitStarted', 1, {
        Id: 'w',
        ParentId: 'c',
        WaitStartedDetails: { Duration: 60, ScheduledEndTimestamp: start + 61 },
      }),
      event('CallbackStarted', 1, { Id: 'b' }),
      event('CallbackTimedOut', 4, { Id: 'b' }),
      event('ChainedInvokeStarted', 4, { Id: 'i' }),
      event('ChainedInvokeStopped', 5, { Id: 'i' }),
      event('WaitStarted', 5, { Id: 'v' }),
      event('WaitCancelled', 6, { Id: 'v' }),
    ]);
    assert.deepEqual(
      rows.map(({ label, kind, depth, spans }) => [label, kind, depth, spans.at(-1)?.state]),
      [
        ['orders', 'Context', 0, 'running'],
        ['w', 'Wait', 1, 'running'],
        ['b', 'Callback', 0, 'failed'],
        ['i', 'Invoke', 0, 'stopped'],
        ['v', 'Wait', 0, 'stopped'],
      ],
    );
    assert.equal(rows[1]?.endsAt, start + 61);
  });

  test('stays within its drawing, whatever the clocks said', () => {
    const spans = [
      { start: start - 9, end: start + 1, state: 'failed' as const },
      { start: start + 20, end: undefined, state: 'running' as const },
      { start: start + 5, end: start + 4, state: 'succeeded' as const },
    ];
    const row = { label: '<b>', kind: 'Step', depth: 0, spans, endsAt: undefined };
    for (const end of [start + 10, start, start - 1]) {
      const text = timelineView([row], { start, end }, end * 1000).toString();
      assert.match(text, /&lt;b&gt;/);
      assert.match(text, /3 attempts/);
      const bars = [...text.matchAll(/x="([^"]*)"\s+y="1"\s+width="([^"]*)"/g)];
      assert.equal(bars.length, 3);
      for (const [, x, wide] of bars) {
        assert.ok(Number(x) >= 0 && Number(wide) >= 4 && Number(x) + Number(wide) <= 1000, text);
      }
    }
  });

  test('leaves rows out where there are very many, and says so', () => {
    const rows = timelineOf(
      Array.from({ length: 250 }, (_, index) => event('StepStarted', index, { Id: `${index}` })),
    );
    const text = timelineView(rows, { start, end: start + 250 }, start * 1000).toString();
    assert.equal(text.match(/<li>/g)?.length, 200);
    assert.match(text, /50 more operations/);
  });

  test('of a program that has started nothing says so', () => {
    const text = timelineView(timelineOf([event('ExecutionStarted', 0)]), { start, end: start }, 0);
    assert.match(text.toString(), /started no operation/);
  });
});
