import { failField } from './field-error.ts';

/** What the execution of a document may take: the fields of the response, its text, and the time. */
export interface ExecutionLimits {
  /** Called with the value of every field; throws once a limit is exceeded. */
  readonly spend: (value: unknown) => void;
}

/** Release tools ask for a dozen fields of each of some ten thousand nodes. */
const valuesMax = 2_000_000;

/** Characters. The same text may be selected by many aliases. */
const textMax = 64 * 1024 * 1024;

const milliseconds = 10_000;

/** Between looks at the clock. */
const valuesPerLook = 256;

export function createLimits(monotonic: () => number = () => performance.now()): ExecutionLimits {
  const end = monotonic() + milliseconds;
  let values = 0;
  let characters = 0;
  let late = false;
  return {
    spend(value) {
      values += 1;
      if (typeof value === 'string') characters += value.length;
      if (values % valuesPerLook === 1) late ||= monotonic() > end;
      if (late || values > valuesMax || characters > textMax) {
        failField('RESOURCE_LIMITS_EXCEEDED', 'Resource limits for this query exceeded.');
      }
    },
  };
}
