import { join } from 'node:path';
import { open, readFile, rename } from 'node:fs/promises';

import Type from 'typebox';

import type { SavedDatabase } from '#platform/database/database-snapshot.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { SchemaCheck } from '#platform/schema-check.ts';

import type { AppliedMigration } from './backup-store.ts';

/** What a backup says of itself. It is written last: a folder without it is a backup that was interrupted. */
export interface Manifest {
  readonly format: 'hob-backup';
  readonly formatVersion: number;
  readonly programVersion: string;
  /** The time whose state the backup holds. */
  readonly frozenAt: string;
  readonly database: SavedDatabase;
  readonly migrations: readonly AppliedMigration[];
  readonly repositories: number;
  /** Repositories that were deleted while the backup was made; their rows are in it. */
  readonly deletedRepositories: readonly number[];
  /** Repositories that were damaged already; they are as they were found. */
  readonly damagedRepositories: readonly number[];
  readonly entries: number;
  readonly bytes: number;
  readonly contentsSha256: string;
}

export const manifestFile = 'manifest.json';
/** One JSON text a line for each file, folder and link of the backup. */
export const contentsFile = 'contents.jsonl';
/** What becomes the data directory. */
export const dataFolder = 'data';
/** The rows of PostgreSQL. */
export const tablesFolder = 'tables';

const formatVersion = 1;

/** It may be forged: what is shown controls no terminal, and a file of rows is one of the backup. */
const validManifest = new SchemaCheck(
  Type.Object({
    format: Type.Literal('hob-backup'),
    formatVersion: Type.Number(),
    programVersion: Type.String(),
    frozenAt: Type.String({ pattern: '^[0-9TZ:.-]+$' }),
    database: Type.Union([
      Type.Object({ engine: Type.Literal('sqlite'), file: Type.String() }),
      Type.Object({
        engine: Type.Literal('postgres'),
        tables: Type.Array(
          Type.Object({
            name: Type.String(),
            columns: Type.Array(Type.String()),
            file: Type.String({ pattern: '^[^/]+$' }),
          }),
        ),
        sequences: Type.Record(Type.String(), Type.String()),
      }),
    ]),
    migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() })),
    repositories: Type.Number(),
    deletedRepositories: Type.Array(Type.Number()),
    damagedRepositories: Type.Array(Type.Number()),
    entries: Type.Number(),
    bytes: Type.Number(),
    contentsSha256: Type.String(),
  }),
);

export function createManifest(content: Omit<Manifest, 'format' | 'formatVersion'>): Manifest {
  return { format: 'hob-backup', formatVersion, ...content };
}

/** Writes the manifest, durable and whole or not at all. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${manifestFile}.new`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, manifestFile));
  const parent = await open(folder, 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new OperatorError(
      `${folder} is not a complete backup: it has no ${manifestFile}, which is written last. Run the backup again.`,
      { cause },
    );
  });
  const manifest = parsed(text);
  if (manifest?.formatVersion === formatVersion) return manifest;
  throw new OperatorError(
    manifest === undefined
      ? `${path} is damaged, or not the manifest of a backup.`
      : `${path} has format version ${manifest.formatVersion}; this program reads version ${formatVersion}. Restore with a newer version of Hob.`,
  );
}

function parsed(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return validManifest.accepts(value) ? value : undefined;
  } catch {
    // Not JSON: said in a sentence by the caller.
    return undefined;
  }
}
