import { counted, html, type Html, timeElement } from '#web/html.ts';

import type { Span, SpanState, TimelineRow } from './execution-timeline.ts';

/** Width of the drawing in its own units; the page stretches it. */
const width = 1000;
/** What took no time is seen as well. */
const narrowest = 4;
/** Operations that the timeline of a durable execution draws; a line says how many there are beyond. */
const rowsMax = 200;

/** What the bars of a timeline are measured by, in seconds since the epoch. */
export interface TimelineScale {
  readonly start: number;
  /** Of the execution, or the present while it runs. */
  readonly end: number;
}

/** Bars of what happened when. The drawing repeats what the text of each row says, so screen readers skip it. */
export function timelineView(
  rows: readonly TimelineRow[],
  scale: TimelineScale,
  now: number,
): Html {
  if (rows.length === 0) return html`<p class="empty">The program has started no operation.</p>`;
  return html`<p class="soft">
      The bars begin at 0 s and end at ${secondsText(scale.end - scale.start)}.
    </p>
    <ol class="timeline">
      ${rows.slice(0, rowsMax).map((row) => rowView(row, scale, now))}
    </ol>
    ${rows.length > rowsMax ? html`<p class="soft">${rows.length - rowsMax} more operations are in the list of events.</p>` : ''}`;
}

function rowView(row: TimelineRow, scale: TimelineScale, now: number): Html {
  const first = row.spans[0]?.start ?? scale.start;
  const last = row.spans.at(-1);
  const took = (last?.end ?? scale.end) - first;
  const [kind, text] = marks[last?.state ?? 'running'];
  return html`<li>
    <span class="operation depth-${row.depth}"
      >${row.label} <span class="soft">${row.kind}</span></span
    >
    <span class="${kind}">${text}</span>
    <span class="times"
      >+${secondsText(first - scale.start)}, ${last?.end === undefined ? 'for' : 'took'}
      ${secondsText(took)}${countText(row)}${endsView(row, now)}</span
    >
    <svg
      class="bars"
      viewBox="0 0 ${width} 12"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      ${row.spans.map((span) => spanView(span, scale))}
    </svg>
  </li>`;
}

const marks: Readonly<Record<SpanState, readonly [kind: string, text: string]>> = {
  running: ['waiting', '◌ running'],
  succeeded: ['good', '✓ succeeded'],
  failed: ['bad', '✗ failed'],
  stopped: ['soft', '– stopped'],
};

function countText({ kind, spans }: TimelineRow): string {
  if (spans.length < 2) return '';
  return `, ${counted(spans.length, kind === 'Invocations' ? 'invocation' : 'attempt')}`;
}

function endsView({ endsAt, spans }: TimelineRow, now: number): Html | string {
  if (endsAt === undefined || spans.at(-1)?.end !== undefined) return '';
  return html`, ends ${timeElement(Math.round(endsAt * 1000), now)}`;
}

function spanView({ start, end = Infinity, state }: Span, scale: TimelineScale): Html {
  const total = Math.max(scale.end - scale.start, 0.001);
  const at = (time: number): number =>
    (Math.min(Math.max(time - scale.start, 0), total) / total) * width;
  const wide = Math.max(at(end) - at(start), narrowest);
  const x = Math.min(at(start), width - wide);
  return html`<rect
    class="${marks[state][0]}"
    x="${x.toFixed(1)}"
    y="1"
    width="${wide.toFixed(1)}"
    height="10"
  />`;
}

function secondsText(seconds: number): string {
  const least = Math.max(seconds, 0);
  return `${least < 10 ? least.toFixed(3) : least < 1000 ? least.toFixed(1) : least.toFixed(0)} s`;
}
