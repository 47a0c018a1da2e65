import Type from 'typebox';

import { type Control, control, done } from './control-request.ts';
import { faultKinds, type RequestFaults } from './request-faults.ts';

/** `Retry-After` of an injected fault that does not say it. */
const abuseSeconds = 60;
/** Delay by an injected fault that does not say it. */
const slowSeconds = 5;

export function faultControls(faults: RequestFaults): Record<string, Control> {
  return {
    'GET faults': control({}, () => ({ status: 200, body: faults.pending })),
    'POST faults': control(
      {
        kind: Type.Union(faultKinds.map((kind) => Type.Literal(kind))),
        path: Type.Optional(Type.String({ pattern: '^[/*]' })),
        method: Type.Optional(Type.String({ pattern: '^[A-Z]+$' })),
        times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600 })),
      },
      ({ kind, path = '*', method, times = 1, seconds }) => {
        const fallback = kind === 'slow' ? slowSeconds : abuseSeconds;
        faults.add({ kind, path, method, times, seconds: seconds ?? fallback });
        return done;
      },
    ),
    'DELETE faults': control({}, () => {
      faults.clear();
      return done;
    }),
  };
}
