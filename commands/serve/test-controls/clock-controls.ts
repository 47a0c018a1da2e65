import Type from 'typebox';

import { type Control, control, ControlRefusal, type ControlResponse } from './control-request.ts';
import type { TestClock } from './test-clock.ts';

/** Dates beyond are refused: what is computed from them would be no dates any more. */
const latest = Date.parse('9000-01-01T00:00:00Z');

/** `onSet` hears by how many milliseconds the clock was set forward. */
export function clockControls(
  clock: TestClock,
  onSet: (forward: number) => void,
): Record<string, Control> {
  const state = (): ControlResponse => ({ status: 200, body: representClock(clock) });
  const change = (set: () => void): ControlResponse => {
    const before = clock.now();
    set();
    onSet(clock.now() - before);
    return state();
  };
  return {
    'GET clock': control({}, state),
    'PUT clock': control(
      {
        now: Type.Union([Type.String(), Type.Integer({ minimum: 0, maximum: latest })]),
        running: Type.Optional(Type.Boolean()),
      },
      ({ now, running = false }) => {
        const time = typeof now === 'number' ? now : Date.parse(now);
        if (!(time >= 0 && time <= latest)) {
          const message = `now must be a time such as 2026-01-31T12:00:00Z, or milliseconds since 1970, not ${JSON.stringify(now)}.`;
          throw new ControlRefusal(422, message);
        }
        return change(() => clock.set(time, running));
      },
    ),
    'POST clock/advance': control(
      { seconds: Type.Number({ minimum: 0, maximum: 100 * 366 * 86_400 }) },
      ({ seconds }) => {
        const milliseconds = Math.round(seconds * 1000);
        if (clock.now() + milliseconds > latest) {
          throw new ControlRefusal(422, 'The clock cannot go beyond the year 9000.');
        }
        return change(() => clock.advance(milliseconds));
      },
    ),
    'DELETE clock': control({}, () => change(() => clock.release())),
  };
}

export function representClock(clock: TestClock): { now: string; running: boolean } {
  return { now: new Date(clock.now()).toISOString(), running: !clock.stopped };
}
