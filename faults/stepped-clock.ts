/**
 * Loaded into a server by `--import`: SIGUSR2 steps its clock to as many milliseconds from the true one as the file `clock-offset` of
 * its data folder says. Linux has no namespace for CLOCK_REALTIME (time_namespaces(7)), so what JavaScript sees of it is replaced.
 * The monotonic clock and timers go on, as they do when a real clock is set.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';

const TrueDate = Date;
let offset = 0;
const data = process.argv[process.argv.indexOf('--data') + 1] ?? '';
const now = (): number => TrueDate.now() + offset;

process.on('SIGUSR2', () => {
  offset = Number(readFileSync(join(data, 'clock-offset'), 'utf8'));
});

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});

// Node writes the Date header by its own clock, unless there is one.
subscribe('http.server.request.start', (message) => {
  const response = Object(message).response;
  if (response instanceof ServerResponse) response.setHeader('date', new Date().toUTCString());
});
