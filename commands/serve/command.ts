import { createLog } from '#platform/log.ts';
import { readSettings, settingsHelp } from '#settings/settings.ts';

import { logFatalErrors } from './fatal-errors.ts';
import { serve } from './serve.ts';

/** `hob serve`: serves until it is stopped by a signal. Resolves with the exit code. */
export async function runServe(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`Usage: hob serve [SETTINGS]\n\n${settingsHelp()}\n`);
    return 0;
  }
  const read = readSettings(args);
  if (read.kind === 'problems') {
    for (const problem of read.problems) process.stderr.write(`hob: ${problem}\n`);
    return 2;
  }
  logFatalErrors(createLog(read.settings.logLevel));
  const serving = await serve(read.settings, (line) => process.stdout.write(`${line}\n`));
  await stopSignal();
  await serving.stop();
  return 0;
}

/** A second signal ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
}
