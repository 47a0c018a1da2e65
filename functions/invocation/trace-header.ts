/** What the trace header says: `Root=1-<time>-<96 bits>;Parent=<64 bits>;Sampled=1`. */
export interface TraceHeader {
  readonly root: string | undefined;
  /** The segment that asked for this. */
  readonly parent: string | undefined;
  /** Undefined when whoever comes next decides. */
  readonly sampled: boolean | undefined;
}

/** Reads a header of anybody: what is not as it should be is left out. */
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

export function writeTraceHeader(root: string, parent: string, sampled: boolean): string {
  return `Root=${root};Parent=${parent};Sampled=${sampled ? 1 : 0}`;
}

function matching(text: string | undefined, pattern: RegExp): string | undefined {
  return text !== undefined && pattern.test(text) ? text : undefined;
}
