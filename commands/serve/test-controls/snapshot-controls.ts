import Type from 'typebox';

import { type Control, control, done } from './control-request.ts';

export interface SnapshotActions {
  names(): readonly string[];
  take(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Restores the state after the start. */
  reset(): Promise<void>;
}

const named = { name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }) };

export function snapshotControls(actions: SnapshotActions): Record<string, Control> {
  return {
    'POST reset': control({}, async () => {
      await actions.reset();
      return done;
    }),
    'GET snapshots': control({}, () => ({ status: 200, body: actions.names() })),
    'POST snapshot': control(named, async ({ name }) => {
      await actions.take(name);
      return done;
    }),
    'POST restore': control(named, async ({ name }) => {
      await actions.restore(name);
      return done;
    }),
  };
}
