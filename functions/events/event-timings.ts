/** The delays of retries. */
export interface EventTimings {
  /** After the first failure of the function, after the second. */
  readonly retryMilliseconds: readonly number[];
  /** After the first time that an event could not be run, or a message not be delivered; doubled each time. */
  readonly delayMilliseconds: number;
}

export const usualTimings: EventTimings = {
  retryMilliseconds: [60_000, 120_000],
  delayMilliseconds: 1000,
};

/** The longest delay between two attempts. */
const delayMillisecondsMax = 5 * 60_000;

/** `count` attempts were made before. */
export function delayAfter({ delayMilliseconds }: EventTimings, count: number): number {
  return Math.min(delayMilliseconds * 2 ** Math.min(count, 30), delayMillisecondsMax);
}

export function retryAfter({ retryMilliseconds }: EventTimings, attempts: number): number {
  return retryMilliseconds[attempts - 1] ?? retryMilliseconds.at(-1) ?? 0;
}
