import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { sendError, type S3Server, startS3Server } from '../testing/s3-server.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import type { ArchivesLocation } from './archives-location.ts';
import { bindStoreToInstallation } from './claim.ts';
import { findClaim } from './claim-store.ts';
import { type CodeStore, openCodeStore } from './open-store.ts';

interface Setup {
  readonly location: ArchivesLocation;
  /** Of two installations. */
  readonly databases: readonly Database[];
  readonly open: () => Promise<CodeStore>;
}

async function withInstallations(
  location: ArchivesLocation,
  folder: string,
  work: (setup: Setup) => Promise<void>,
): Promise<void> {
  const databases = [await openTestDatabase(), await openTestDatabase()];
  const opened: CodeStore[] = [];
  const open = async (): Promise<CodeStore> => {
    const store = await openCodeStore(
      location,
      join(folder, `copies${opened.length}`),
      systemRandom,
    );
    opened.push(store);
    return store;
  };
  try {
    await work({ location, databases, open });
  } finally {
    for (const { archives } of opened) archives.close();
    for (const database of databases) await database.close();
  }
}

function inFolder(work: (setup: Setup & { readonly folder: string }) => Promise<void>) {
  return inTemporaryFolder(async (outer) => {
    const folder = join(outer, 'store');
    await mkdir(folder);
    const location = { kind: 'folder', folder } as const;
    await withInstallations(location, outer, (setup) => work({ ...setup, folder }));
  });
}

function inBucket(work: (setup: Setup & { readonly server: S3Server }) => Promise<void>) {
  return inTemporaryFolder(async (folder) => {
    const server = await startS3Server();
    try {
      await withInstallations(server.location, folder, (setup) => work({ ...setup, server }));
    } finally {
      await server.close();
    }
  });
}

/** Both look for the marker before either creates one. */
async function claimedAtOnce({ databases, open, location }: Setup): Promise<void> {
  let looking = databases.length;
  let allHaveLooked = (): void => {};
  const looked = new Promise<void>((resolve) => (allHaveLooked = resolve));
  const claims = databases.map(async (database) => {
    const store = await open();
    let isFirst = true;
    const readMarker = async (): Promise<string | undefined> => {
      const marker = await store.readMarker();
      if (isFirst) {
        isFirst = false;
        if ((looking -= 1) === 0) allHaveLooked();
        await looked;
      }
      return marker;
    };
    await bindStoreToInstallation(
      { database, random: systemRandom },
      { ...store, readMarker },
      location,
    );
  });
  const results = await Promise.allSettled(claims);
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result] : []));
  assert.equal(refusals.length, 1, 'One of them gets the store.');
  const error: unknown = refusals[0]?.reason;
  assert.ok(error instanceof OperatorError, String(error));
  assert.match(error.message, /has the code of another installation/);
  // The marker is that of the one whose database says so.
  const claimed = await Promise.all(databases.map((database) => database.read(findClaim)));
  const [winner, ...others] = claimed.filter((claim) => claim?.isMarked);
  assert.deepEqual(others, []);
  const marker = await (await open()).readMarker();
  assert.equal(marker, `${JSON.stringify({ key: winner?.key })}\n`);
}

describe('two installations that claim an empty store at once', () => {
  it('get a folder once', () =>
    inFolder(async (setup) => {
      await claimedAtOnce(setup);
      assert.deepEqual(await readdir(setup.folder), ['hob-code.json']);
    }));

  it('get a bucket once', () => inBucket(claimedAtOnce));

  for (const conditions of ['ignored', 'refused'] as const)
    it(`get a bucket once whose store has conditions ${conditions}`, () =>
      inBucket(async (setup) => {
        setup.server.conditions = conditions;
        await claimedAtOnce(setup);
      }));
});

describe('a claim', () => {
  it('replaces no marker that another installation creates meanwhile', () =>
    inFolder(async ({ databases: [database], open, location, folder }) => {
      assert.ok(database);
      const text = '{"key":"0b5a3c50-5c1f-4f0e-8f57-0f6f3e7c1a11"}\n';
      const marker = join(folder, 'hob-code.json');
      const store = await open();
      const createMarker = async (own: string): Promise<void> => {
        await writeFile(marker, text);
        await store.createMarker(own);
      };
      const ports = { database, random: systemRandom };
      await assert.rejects(
        bindStoreToInstallation(ports, { ...store, createMarker }, location),
        OperatorError,
      );
      assert.equal(await readFile(marker, 'utf8'), text);
      assert.equal((await database.read(findClaim))?.isMarked, false);
    }));

  it('tries again where the store reports a conflict, and has no marker yet', () =>
    inBucket(async ({ databases: [database], open, location, server }) => {
      assert.ok(database);
      const store = await open();
      let conflicts = 2;
      server.fault = ({ method, key }, response) => {
        if (method !== 'PUT' || !key.endsWith('hob-code.json') || (conflicts -= 1) < 0)
          return false;
        sendError(response, {
          status: 409,
          code: 'ConditionalRequestConflict',
          message: 'Conflict',
        });
        return true;
      };
      await bindStoreToInstallation({ database, random: systemRandom }, store, location);
      assert.equal((await database.read(findClaim))?.isMarked, true);
      assert.ok(server.objects.has('hob/hob-code.json'));
    }));

  it('goes on where a server was killed that had created its marker', () =>
    inBucket(async ({ databases: [database], open, location }) => {
      assert.ok(database);
      const ports = { database, random: systemRandom };
      await bindStoreToInstallation(ports, await open(), location);
      await database.write((sql) => sql.run('update function_code_stores set marked = 0'));
      await bindStoreToInstallation(ports, await open(), location);
      assert.equal((await database.read(findClaim))?.isMarked, true);
    }));
});
