import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { systemClock } from '#platform/clock.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import { readSharedSettings, settingFlags, settingsHelp } from '#settings/settings.ts';
import { migrationsFolder, readVersion } from '../../program-files.ts';
import { makeBackup } from './make-backup.ts';
import type { Manifest } from './manifest.ts';
import { showProgress } from './progress.ts';
import { restoreBackup } from './restore-backup.ts';
import type { Settings } from '#settings/setting-values.ts';

const settingNames = ['data', 'database'] as const;

/** `hob backup FOLDER`. Resolves with the exit code. */
export async function runBackup(args: readonly string[]): Promise<number> {
  const read = readArgs(args, backupUsage);
  if (typeof read === 'number') return read;
  const { data, database, code } = read.settings;
  const manifest = await makeBackup(
    {
      data,
      code,
      database: database ?? join(data, 'hob.sqlite'),
      target: read.folder,
      programVersion: readVersion(),
    },
    systemClock,
    progress(),
  );
  process.stdout.write(`${madeLine(manifest, read.folder)}\n${secretsLine}\n`);
  return reportDamaged(manifest);
}

/** `hob restore FOLDER --data NEW`. Resolves with the exit code. */
export async function runRestore(args: readonly string[]): Promise<number> {
  const read = readArgs(args, restoreUsage);
  if (typeof read === 'number') return read;
  const { data, database } = read.settings;
  const { manifest, faults } = await restoreBackup(
    { backup: read.folder, data, database, verify: read.verify, migrationsFolder },
    progress(),
  );
  process.stdout.write(`Restored the state of ${manifest.frozenAt} to ${data}.\n`);
  for (const [id, fault] of faults) {
    process.stderr.write(`hob: repository ${id}: ${visibleControls(fault)}\n`);
  }
  return Math.max(reportDamaged(manifest), faults.size > 0 ? 1 : 0);
}

const backupUsage = `Usage: hob backup FOLDER [SETTINGS]

Backs up a server to a new folder, while it runs or not. The backup is consistent: it contains the state of one point in time. Files
that never change are hard-linked if the folder is on the same file system. The backup contains the service key and all secrets.
`;

const restoreUsage = `Usage: hob restore FOLDER --data NEW [--verify] [SETTINGS]

Restores a backup to a new data directory and verifies every checksum. --verify also runs git fsck on every repository.
To restore a PostgreSQL database, pass an empty one: --database postgres://….
`;

const secretsLine =
  'It contains the service key, tokens and all secrets: protect it like the data directory.';

interface Args {
  readonly folder: string;
  readonly verify: boolean;
  readonly settings: Settings;
}

/** The exit code where there is nothing to do. */
function readArgs(args: readonly string[], usage: string): Args | number {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n${settingsHelp(settingNames)}\n`);
    return 0;
  }
  const flags = settingFlags(settingNames);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(flags.map((flag) => [flag, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  });
  const [folder, ...more] = tokens.filter((token) => token.kind === 'positional');
  if (!folder || more.length > 0) {
    process.stderr.write(`hob: expected one folder.\n\n${usage}`);
    return 2;
  }
  const verify = usage === restoreUsage && args.includes('--verify');
  const rest = args.filter(
    (argument, index) => index !== folder.index && !(verify && argument === '--verify'),
  );
  const settings = readSharedSettings(rest);
  if (settings.kind === 'settings') {
    return { folder: folder.value, verify, settings: settings.settings };
  }
  for (const problem of settings.problems) process.stderr.write(`hob: ${problem}\n`);
  return 2;
}

function progress(): ReturnType<typeof showProgress> {
  return showProgress(process.stderr, () => systemClock.now());
}

function madeLine({ repositories, bytes, frozenAt }: Manifest, folder: string): string {
  const mebibytes = Math.ceil(bytes / 2 ** 20);
  return `Saved the state of ${frozenAt} to ${folder}: ${repositories} repositories, ${mebibytes} MiB.`;
}

/** The exit code: a backup of damaged repositories is complete, but the operator must repair them. */
function reportDamaged({ damagedRepositories }: Manifest): number {
  if (damagedRepositories.length === 0) return 0;
  process.stderr.write(
    `hob: these repositories lack objects that their refs name. They were saved as they are: ${damagedRepositories.join(', ')}.\n`,
  );
  return 1;
}
