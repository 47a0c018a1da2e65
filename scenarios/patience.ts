import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/** Looks again and again until there is something to see; fails when it takes too long. */
export async function until<T>(
  look: () => T | undefined | Promise<T | undefined>,
  { seconds = 20, missing = 'what was waited for' } = {},
): Promise<T> {
  const patient = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    assert.ok(performance.now() < patient, `${missing} did not come within ${seconds} s`);
    await delay(10);
  }
}
