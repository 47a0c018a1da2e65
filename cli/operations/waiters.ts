/** What can be waited for: how often and how long is asked, and what in the response says that it has come or never will. */
export interface Waiter {
  /** As errors name it. */
  readonly name: string;
  readonly operation: 'get-function' | 'get-function-configuration';
  readonly seconds: number;
  readonly attemptsMax: number;
  readonly description: string;
  /** Undefined: any response that is no error is success. */
  readonly watched: Watched | undefined;
}

export interface Watched {
  /** As errors name it: a path of members. */
  readonly path: string;
  readonly success: string;
  readonly pending: string;
}

const state = { success: 'Active', pending: 'Pending' } as const;
const update = { success: 'Successful', pending: 'InProgress' } as const;

export const waiters: Readonly<Record<string, Waiter>> = {
  'function-active': {
    name: 'FunctionActive',
    operation: 'get-function-configuration',
    seconds: 5,
    attemptsMax: 60,
    description: "Waits until the function's State is Active, using get-function-configuration.",
    watched: { path: 'State', ...state },
  },
  'function-active-v2': {
    name: 'FunctionActiveV2',
    operation: 'get-function',
    seconds: 1,
    attemptsMax: 300,
    description: "Waits until the function's State is Active, using get-function.",
    watched: { path: 'Configuration.State', ...state },
  },
  'function-exists': {
    name: 'FunctionExists',
    operation: 'get-function',
    seconds: 1,
    attemptsMax: 20,
    description: 'Waits until the function exists.',
    watched: undefined,
  },
  'function-updated': {
    name: 'FunctionUpdated',
    operation: 'get-function-configuration',
    seconds: 5,
    attemptsMax: 60,
    description:
      "Waits until the function's LastUpdateStatus is Successful, using get-function-configuration.",
    watched: { path: 'LastUpdateStatus', ...update },
  },
  'function-updated-v2': {
    name: 'FunctionUpdatedV2',
    operation: 'get-function',
    seconds: 1,
    attemptsMax: 300,
    description: "Waits until the function's LastUpdateStatus is Successful, using get-function.",
    watched: { path: 'Configuration.LastUpdateStatus', ...update },
  },
  'published-version-active': {
    name: 'PublishedVersionActive',
    operation: 'get-function-configuration',
    seconds: 5,
    attemptsMax: 312,
    description: "Waits until the published version's State is Active.",
    watched: { path: 'State', ...state },
  },
};
