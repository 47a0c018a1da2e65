import Type from 'typebox';

import { type Control, control, done } from './control-request.ts';

export interface SnapshotActions {
  readonly names: readonly string[];
  take(name: string): Promise<void>;
  /** Undefined: the state after the start. */
  restore(name: string | undefined): Promise<void>;
}

const named = { name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }) };

export function snapshotControls(actions: SnapshotActions): Record<string, Control> {
  return {
    'POST reset': control({}, async () => {
      await actions.restore(undefined);
      return done;
    }),
    'GET snapshots': control({}, () => ({ status: 200, body: actions.names })),
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
