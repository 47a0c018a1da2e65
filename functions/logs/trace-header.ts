import { currentSpan } from '#platform/tracing.ts';

import { readLineage, writeLineage } from '../recursion/lineage.ts';

/** A parsed trace header: `Root=1-<time>-<96 bits>;Parent=<64 bits>;Sampled=1;Lineage=…`. */
export interface TraceHeader {
  readonly root: string | undefined;
  /** The id of the calling segment. */
  readonly parent: string | undefined;
  /** Undefined when the next service decides. */
  readonly sampled: boolean | undefined;
}

/** Reads an untrusted header: invalid parts are omitted. */
export function readTraceHeader(text: string): TraceHeader {
  const parts = new Map(
    text.split(';').map((part) => {
      const [key = '', value = ''] = part.split('=', 2);
      return [key.trim().toLowerCase(), value.trim()];
    }),
  );
  return {
    root: matching(parts.get('root'), /^1-[0-9a-f]{8}-[0-9a-f]{24}$/),
    parent: matching(parts.get('parent'), /^[0-9a-f]{16}$/),
    sampled: { '0': false, '1': true }[parts.get('sampled') ?? ''],
  };
}

export function writeTraceHeader({ root, parent, sampled }: TraceHeader, lineage: string): string {
  return [
    ...(root === undefined ? [] : [`Root=${root}`]),
    ...(parent === undefined ? [] : [`Parent=${parent}`]),
    ...(sampled === undefined ? [] : [`Sampled=${sampled ? 1 : 0}`]),
    ...(lineage === '' ? [] : [`Lineage=${lineage}`]),
  ].join(';');
}

/** The header of the operator's own trace, so that what the function traces belongs to it; undefined without one. */
export function currentTraceHeader(): string | undefined {
  const span = currentSpan();
  if (!span) return undefined;
  const root = `1-${span.traceId.slice(0, 8)}-${span.traceId.slice(8)}`;
  return writeTraceHeader({ root, parent: span.spanId, sampled: span.sampled }, '');
}

/** The same header with another lineage; the other fields stay. */
export function withLineage(text: string, lineage: string): string {
  return [withoutLineage(text), `Lineage=${lineage}`].filter((part) => part !== '').join(';');
}

export function withoutLineage(text: string): string {
  return text
    .split(';')
    .filter((part) => !/^\s*lineage=/i.test(part))
    .join(';');
}

/** The parts of an untrusted header that can be passed on; undefined when it belongs to no trace. */
export function presentableTraceHeader(text: string): string | undefined {
  const header = readTraceHeader(text);
  return header.root === undefined
    ? undefined
    : writeTraceHeader(header, writeLineage(readLineage(text)));
}

function matching(text: string | undefined, pattern: RegExp): string | undefined {
  return text !== undefined && pattern.test(text) ? text : undefined;
}
