import type { IncomingMessage } from 'node:http';

import { withLineage } from '#functions/logs/trace-header.ts';
import { setRequestLineage } from '#platform/invocation-lineage.ts';

/** Puts a request into the chain of requests of the function that sent it, whatever its trace header says. */
export function continueChain(request: IncomingMessage, lineage: string): void {
  setRequestLineage(request, lineage);
  const given = request.headers[traceHeader];
  request.headers[traceHeader] =
    typeof given === 'string' ? withLineage(given, lineage) : `Lineage=${lineage}`;
}

const traceHeader = 'x-amzn-trace-id';
