import { Readable } from 'node:stream';

import type { HomeNodes, OwnRequest } from '../ports/home-nodes.ts';

/** Two servers, as one of them sees them: a test says which functions are its own. */
export interface TestHomes extends HomeNodes {
  /** The functions of requests that the other one has answered. */
  readonly passedOn: readonly string[];
  /** What this one has sent to the other one itself. */
  readonly posted: readonly OwnRequest[];
  /** From now on these functions have their home here; until then all have. */
  own(...functionNames: readonly string[]): void;
  /** What a request to the other one comes to; at first it answers. */
  failWith(error: unknown): void;
}

/** What the other server answers, with 299. */
export const otherResponse = 'the other server';

export function createTestHomes(): TestHomes {
  const passedOn: string[] = [];
  const posted: OwnRequest[] = [];
  const listeners = new Set<() => void>();
  let names: readonly string[] | undefined;
  let failure: unknown;
  const isHome = (name: string): boolean => names?.includes(name) ?? true;
  return {
    passedOn,
    posted,
    count: 2,
    isHome,
    own(...functionNames) {
      names = functionNames;
      for (const listener of listeners) listener();
    },
    failWith(error) {
      failure = error;
    },
    async forwardToHome(name, _request, response) {
      if (isHome(name)) return false;
      if (failure !== undefined) throw failure;
      passedOn.push(name);
      response.writeHead(299, { 'content-type': 'text/plain' });
      response.end(otherResponse);
      return true;
    },
    async post(name, request) {
      if (isHome(name)) return undefined;
      if (failure !== undefined) throw failure;
      posted.push(request);
      return { status: 299, headers: { 'x-home': 'other' }, body: Readable.from([otherResponse]) };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
