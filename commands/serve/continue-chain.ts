import type { IncomingMessage } from 'node:http';

import { withLineage } from '#functions/logs/trace-header.ts';
import { setRequestLineage } from '#platform/invocation-lineage.ts';

/** The request belongs to this chain of invocations, whatever the program that sent it says. */
export function continueChain(request: IncomingMessage, lineage: string): void {
  setRequestLineage(request, lineage);
  const given = request.headers[traceHeader];
  request.headers[traceHeader] =
    typeof given === 'string' ? withLineage(given, lineage) : `Lineage=${lineage}`;
}

const traceHeader = 'x-amzn-trace-id';
