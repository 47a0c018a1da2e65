import type { getDurableExecutionHistory } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

export type HistoryEntry = StructureOf<
  (typeof getDurableExecutionHistory)['output']
>['Events'][number];

export type SpanState = 'running' | 'succeeded' | 'failed' | 'stopped';

/** A part of an operation: an attempt of a step, or the whole of another one. In seconds since the epoch. */
export interface Span {
  readonly start: number;
  /** Undefined while it runs. */
  readonly end: number | undefined;
  readonly state: SpanState;
}

/** A row of the timeline: an operation, or all invocations of the program. */
export interface TimelineRow {
  readonly label: string;
  /** `Step`, `Wait`, or what the program calls it. */
  readonly kind: string;
  /** Of the contexts around it. */
  readonly depth: number;
  readonly spans: readonly Span[];
  /** When a wait ends. */
  readonly endsAt: number | undefined;
}

interface OpenRow {
  readonly label: string;
  readonly kind: string;
  readonly depth: number;
  readonly spans: Span[];
  endsAt: number | undefined;
}

/** The rows of a history, in the order in which their operations started; the invocations of the program come first. */
export function timelineOf(events: readonly HistoryEntry[]): readonly TimelineRow[] {
  const rows = new Map<string, OpenRow>();
  const invocations: Span[] = [];
  for (const event of events) {
    const { EventType = '', Id = '', EventTimestamp: at = 0 } = event;
    const [, kind = '', end = ''] =
      /^(\w+?)(Started|Succeeded|Failed|TimedOut|Stopped|Cancelled|Completed)$/.exec(EventType) ??
      [];
    if (kind === 'Execution') continue;
    if (kind === 'Invocation') {
      const {
        StartTimestamp = at,
        EndTimestamp = at,
        Error,
      } = event.InvocationCompletedDetails ?? {};
      const state = Error ? 'failed' : 'succeeded';
      invocations.push({ start: StartTimestamp, end: EndTimestamp, state });
      continue;
    }
    const row = rows.get(Id) ?? startRow(event, kind, rows);
    rows.set(Id, row);
    if (end === 'Started') {
      row.spans.push({ start: at, end: undefined, state: 'running' });
      row.endsAt = event.WaitStartedDetails?.ScheduledEndTimestamp;
    } else {
      const last = row.spans.pop();
      row.spans.push({ start: last?.start ?? at, end: at, state: stateAfter(end) });
    }
  }
  const program = { label: 'The program', kind: 'Invocations', depth: 0, endsAt: undefined };
  return invocations.length === 0
    ? [...rows.values()]
    : [{ ...program, spans: invocations }, ...rows.values()];
}

/** Depth to which the timeline of a durable execution indents operations; deeper ones are drawn as deep as this. */
const depthMax = 6;

function startRow(
  { Name, Id = '', SubType, ParentId = '' }: HistoryEntry,
  kind: string,
  rows: ReadonlyMap<string, OpenRow>,
): OpenRow {
  const parent = rows.get(ParentId);
  return {
    label: Name ?? Id,
    kind: SubType ?? (kind === 'ChainedInvoke' ? 'Invoke' : kind),
    depth: parent ? Math.min(parent.depth + 1, depthMax) : 0,
    spans: [],
    endsAt: undefined,
  };
}

function stateAfter(end: string): SpanState {
  if (end === 'Succeeded') return 'succeeded';
  return end === 'Failed' || end === 'TimedOut' ? 'failed' : 'stopped';
}
