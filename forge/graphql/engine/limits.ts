import { failField } from './field-error.ts';

/** What the execution of a document may take: the fields of the response, its text, its errors, and the time. */
export interface ExecutionLimits {
  /** Whether one of the limits is exceeded: nothing more is resolved then. */
  readonly exceeded: () => boolean;
  /** Refuses work that takes long once a limit is exceeded. */
  readonly check: () => void;
  /** Called with the value of every field. Never throws: the value may be a promise whose rejection must be handled. */
  readonly count: (value: unknown) => void;
  readonly countError: () => void;
  /** The client has left: as if a limit were exceeded. */
  readonly end: () => void;
  /** Calls back once, as soon as a limit is exceeded. */
  readonly onExceeded: (listener: () => void) => void;
  /** How many values there were. */
  readonly values: () => number;
}

/**
 * Values of the response to a GraphQL operation; above it the response is an error, and no further mutation begins. Release
 * tools get some thousand values, the largest documents of VS Code some ten thousand.
 */
const valuesMax = 200_000;

/**
 * Characters of the response to a GraphQL operation; above it the response is an error. The same
 * text may be selected by many aliases.
 */
const textCharactersMax = 64 * 1024 * 1024;

/**
 * Errors in the response to a GraphQL operation; above it the response is an error. The location of each is searched for in the
 * whole document.
 */
const errorsMax = 200;

/** Time of a GraphQL operation; above it the response is an error, and no further mutation begins. */
const milliseconds = 10_000;

/** Values between two reads of the clock. */
const valuesPerClockRead = 256;

export const exceededMessage = 'Resource limits for this query exceeded.';

export function createLimits(monotonic: () => number = () => performance.now()): ExecutionLimits {
  const end = monotonic() + milliseconds;
  let values = 0;
  let characters = 0;
  let errors = 0;
  let isExceeded = false;
  let notify: (() => void) | undefined;
  const decide = (late: boolean): void => {
    if (isExceeded) return;
    isExceeded = late || values > valuesMax || characters > textCharactersMax || errors > errorsMax;
    if (isExceeded) notify?.();
  };
  return {
    exceeded: () => isExceeded,
    check() {
      decide(monotonic() > end);
      if (isExceeded) failField('RESOURCE_LIMITS_EXCEEDED', exceededMessage);
    },
    count(value) {
      values += 1;
      if (typeof value === 'string') characters += value.length;
      decide(values % valuesPerClockRead === 1 && monotonic() > end);
    },
    countError() {
      errors += 1;
      decide(false);
    },
    end: () => decide(true),
    onExceeded(listener) {
      notify = listener;
    },
    values: () => values,
  };
}
