import { rm } from 'node:fs/promises';

import { createLog } from '#platform/log.ts';
import type { Settings } from '#settings/setting-values.ts';
import { readSettings, settingsHelp } from '#settings/settings.ts';

import { makeEphemeralFolder } from './ephemeral-folder.ts';
import { logFatalErrors } from './fatal-errors.ts';
import { endWhereFilesHang } from './hung-files.ts';
import { serve, type ServeOptions } from './serve.ts';

const usage = `Usage: hob serve [--standby | [--ephemeral] [--stop-at-eof]] [SETTINGS]

  --ephemeral    Retain nothing: the data directory is a new one, in memory where possible, and is removed when the server stops
  --standby      Wait while another server uses the data directory, and take over when it ends
  --stop-at-eof  Stop when standard input ends, as it does when the program ends that started the server
`;
const switches = ['--ephemeral', '--standby', '--stop-at-eof'];

/** `hob serve`: serves until it is stopped by a signal. Resolves with the exit code. */
export async function runServe(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n${settingsHelp()}\n`);
    return 0;
  }
  const ephemeral = args.includes('--ephemeral');
  const standsBy = args.includes('--standby');
  const atEof = args.includes('--stop-at-eof');
  const read = readSettings(args.filter((argument) => !switches.includes(argument)));
  if (read.kind === 'problems') {
    for (const problem of read.problems) process.stderr.write(`hob: ${problem}\n`);
    return 2;
  }
  const { settings, inForce } = read;
  logFatalErrors(createLog(settings.logLevel));
  if (standsBy && (ephemeral || atEof)) {
    const other = ephemeral ? '--ephemeral' : '--stop-at-eof';
    process.stderr.write(
      `hob: --standby waits for the data directory of another server: remove ${other}.\n`,
    );
    return 2;
  }
  if (!ephemeral) return serveUntilStopped(settings, { settingsInForce: inForce, standsBy }, atEof);
  if (settings.database !== undefined || args.some((argument) => /^--data(?:$|=)/.test(argument))) {
    process.stderr.write(
      'hob: --ephemeral has a data directory and a database of its own: remove --data, --database and DATABASE_URL.\n',
    );
    return 2;
  }
  if (settings.code !== undefined) {
    process.stderr.write(
      'hob: --ephemeral retains nothing, and would make the store of HOB_CODE its own for good: remove HOB_CODE.\n',
    );
    return 2;
  }
  const data = await makeEphemeralFolder();
  try {
    return await serveUntilStopped({ ...settings, data }, { settingsInForce: inForce }, atEof);
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function serveUntilStopped(
  settings: Settings,
  options: ServeOptions,
  atEof: boolean,
): Promise<number> {
  // Input may end while the server starts.
  const ended = atEof ? inputEnd() : undefined;
  const serving = await serve(settings, print, options);
  // Before others can learn that it is ready: a signal that they send then must stop it, not kill it.
  const stopped = stopSignal();
  serving.welcome.forEach(print);
  await Promise.race([stopped, ...(ended ? [ended] : [])]);
  await serving.stop();
  // Reading goes on otherwise, and with it the process, until the program that started the server ends.
  if (atEof) process.stdin.destroy();
  endWhereFilesHang();
  return 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
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
