import { type Control, control, ControlRefusal, done } from './control-request.ts';
import { archiveOf } from './har.ts';
import type { Recorder } from './recorder.ts';

export function recordControls(recorder: Recorder, baseUrl: string): Record<string, Control> {
  return {
    'POST record/start': control({}, () => {
      recorder.start();
      return done;
    }),
    'POST record/stop': control({}, () => {
      recorder.stop();
      return done;
    }),
    'GET record': control({}, () => {
      const { exchanges } = recorder;
      if (!exchanges) {
        throw new ControlRefusal(409, 'Nothing is recorded: begin with POST /-/test/record/start.');
      }
      return { status: 200, body: archiveOf(exchanges, baseUrl) };
    }),
  };
}
