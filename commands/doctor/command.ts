import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Isolation, isWeakerThan } from '#functions/launcher/isolation.ts';
import { startLauncher } from '#functions/launcher/supervisor/start-launcher.ts';
import { findInstalledRuntimes } from '#functions/runtimes/find-installed-runtimes.ts';
import { findPackageSets } from '#functions/runtimes/runtime-packages.ts';
import { readSettings, settingsHelp } from '#settings/settings.ts';

import { packageSummary } from '../runtimes/package-report.ts';
import { hostReport } from './report.ts';

/** `hob doctor`: what this host can do for functions, found out by trying. Resolves with the exit code. */
export async function runDoctor(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n${settingsHelp(settingNames)}\n`);
    return 0;
  }
  const read = readSettings(args);
  if (read.kind === 'problems') {
    for (const problem of read.problems) process.stderr.write(`hob: ${problem}\n`);
    return 2;
  }
  const { functions } = read.settings;
  const isolation = await tryIsolation();
  const installed = await findInstalledRuntimes(functions);
  const sets = await findPackageSets(join(read.settings.data, 'functions'));
  const sdks = ['', 'AWS SDK in runtimes:', ...packageSummary(sets)];
  for (const line of [...hostReport(isolation, installed, { internet: true }), ...sdks]) {
    process.stdout.write(`${line}\n`);
  }
  return isWeakerThan(isolation.tier, functions.requiredIsolation) ? 1 : 0;
}

const usage = `Usage: hob doctor [SETTINGS]

Shows the isolation that this host provides and the runtimes that it can run.
Exits with 1 if the isolation is weaker than --require-isolation.
`;

const settingNames = ['data', 'requiredIsolation', 'runtimePrograms', 'searchPath'] as const;

async function tryIsolation(): Promise<Isolation> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-doctor-'));
  try {
    const launcher = await startLauncher({
      folder,
      internet: true,
      log: (line) => process.stderr.write(`hob: ${line}\n`),
    });
    await launcher.close();
    return launcher.isolation;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
