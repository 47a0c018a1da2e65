import { rm } from 'node:fs/promises';

import { createLog } from '#platform/log.ts';
import type { Settings } from '#settings/setting-values.ts';
import { readSettings, type SettingInForce, settingsHelp } from '#settings/settings.ts';

import { makeEphemeralFolder } from './ephemeral-folder.ts';
import { logFatalErrors } from './fatal-errors.ts';
import { serve } from './serve.ts';

const usage = `Usage: hob serve [--ephemeral] [--stop-at-eof] [SETTINGS]

  --ephemeral    Retain nothing: the data directory is a new one, in memory where possible, and is removed when the server stops
  --stop-at-eof  Stop when standard input ends, as it does when the program ends that started the server
`;
const switches = ['--ephemeral', '--stop-at-eof'];

/** `hob serve`: serves until it is stopped by a signal. Resolves with the exit code. */
export async function runServe(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n${settingsHelp()}\n`);
    return 0;
  }
  const ephemeral = args.includes('--ephemeral');
  const atEof = args.includes('--stop-at-eof');
  const read = readSettings(args.filter((argument) => !switches.includes(argument)));
  if (read.kind === 'problems') {
    for (const problem of read.problems) process.stderr.write(`hob: ${problem}\n`);
    return 2;
  }
  const { settings, inForce } = read;
  logFatalErrors(createLog(settings.logLevel));
  if (!ephemeral) return serveUntilStopped(settings, inForce, atEof);
  if (settings.database !== undefined || args.some((argument) => /^--data(?:$|=)/.test(argument))) {
    process.stderr.write(
      'hob: --ephemeral has a data directory and a database of its own: remove --data, --database and DATABASE_URL.\n',
    );
    return 2;
  }
  const data = await makeEphemeralFolder();
  try {
    return await serveUntilStopped({ ...settings, data }, inForce, atEof);
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function serveUntilStopped(
  settings: Settings,
  inForce: readonly SettingInForce[],
  atEof: boolean,
): Promise<number> {
  // Input may end while the server starts.
  const ended = atEof ? inputEnd() : undefined;
  const serving = await serve(settings, (line) => process.stdout.write(`${line}\n`), inForce);
  await Promise.race([stopSignal(), ...(ended ? [ended] : [])]);
  await serving.stop();
  return 0;
}

function inputEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.resume().once('end', resolve).once('close', resolve).once('error', resolve);
  });
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
