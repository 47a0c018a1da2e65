import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { systemClock } from '#platform/clock.ts';
import { readSettings, settingFlags, settingsHelp } from '#settings';
import type { Settings } from '#settings';

import { migrationsFolder, readVersion } from '../program-files.ts';
import { makeBackup } from './make-backup.ts';
import type { Manifest } from './manifest.ts';
import { showProgress } from './progress.ts';
import { restoreBackup } from './restore-backup.ts';

const settingNames = ['data', 'database'] as const;

/** `hob backup FOLDER`. Resolves with the exit code. */
export async function runBackup(words: readonly string[]): Promise<number> {
  const read = readWords(words, backupUsage);
  if (typeof read === 'number') return read;
  const { data, database } = read.settings;
  const manifest = await makeBackup(
    {
      data,
      database: database ?? join(data, 'hob.sqlite'),
      target: read.folder,
      programVersion: readVersion(),
    },
    systemClock,
    progress(),
  );
  process.stdout.write(`${madeLine(manifest, read.folder)}\n${secretsLine}\n`);
  return tellDamaged(manifest);
}

/** `hob restore FOLDER --data NEW`. Resolves with the exit code. */
export async function runRestore(words: readonly string[]): Promise<number> {
  const read = readWords(words, restoreUsage);
  if (typeof read === 'number') return read;
  const { data, database } = read.settings;
  const { manifest, faults } = await restoreBackup(
    { backup: read.folder, data, database, verify: read.verify, migrationsFolder },
    progress(),
  );
  process.stdout.write(`The state of ${manifest.frozenAt} is in ${data}.\n`);
  for (const [id, fault] of faults) process.stderr.write(`hob: repository ${id}: ${fault}\n`);
  return Math.max(tellDamaged(manifest), faults.size > 0 ? 1 : 0);
}

const backupUsage = `Usage: hob backup FOLDER [SETTINGS]

Copies everything that a server keeps into a new folder, as it was at one moment, while the server runs or not. Files that never
change are linked where the folder is on the same file system. The backup holds the service key and every secret.
`;

const restoreUsage = `Usage: hob restore FOLDER --data NEW [--verify] [SETTINGS]

Makes a new data directory of a backup and compares every checksum. --verify looks into every repository with git fsck as well.
A backup of a PostgreSQL database needs an empty one: --database postgres://….
`;

const secretsLine =
  'It holds the service key, tokens and every secret: keep it as closed as the data directory.';

interface Words {
  readonly folder: string;
  readonly verify: boolean;
  readonly settings: Settings;
}

/** The exit code where there is nothing to do. */
function readWords(words: readonly string[], usage: string): Words | number {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(`${usage}\n${settingsHelp(settingNames)}\n`);
    return 0;
  }
  const flags = settingFlags(settingNames);
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(flags.map((flag) => [flag, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  });
  const [folder, ...more] = tokens.filter((token) => token.kind === 'positional');
  if (!folder || more.length > 0) {
    process.stderr.write(`hob: name one folder.\n\n${usage}`);
    return 2;
  }
  const verify = usage === restoreUsage && words.includes('--verify');
  const rest = words.filter(
    (word, index) => index !== folder.index && !(verify && word === '--verify'),
  );
  const settings = readSettings(rest);
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
  return `The state of ${frozenAt} is saved in ${folder}: ${repositories} repositories, ${mebibytes} MiB.`;
}

/** The exit code: a backup of damaged repositories is whole, but somebody has to look at them. */
function tellDamaged({ damagedRepositories }: Manifest): number {
  if (damagedRepositories.length === 0) return 0;
  process.stderr.write(
    `hob: these repositories lack objects that their refs name, and are saved as they are: ${damagedRepositories.join(', ')}.\n`,
  );
  return 1;
}
