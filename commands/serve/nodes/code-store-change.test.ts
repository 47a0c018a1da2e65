import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { insertClaim, markClaim } from '#functions/code/archives/claim-store.ts';
import { openArchives } from '#functions/code/open-archives.ts';
import { inTemporaryFolder } from '#functions/code/testing/temporary-folder.ts';
import type { Database } from '#platform/database/database.ts';
import { createLog } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { requireSameStore } from './code-store-change.ts';
import { takeLease } from './lease-store.ts';
import { joinNodes, leaveNodes } from './node-store.ts';

const cluster = { address: '127.0.0.1:0', data: '/shared' };
const code = { kind: 'folder', folder: '/store' } as const;
const nodeOf = (serverId: string, codeStore?: string) => ({
  serverId,
  name: `${serverId}.test`,
  address: `${serverId}.test:1`,
  version: '1',
  incarnation: `of ${serverId}`,
  codeStore,
});

describe('nodes with different stores of code', { skip: testPostgresUrl === undefined }, () => {
  let database: Database;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  const join1 = (serverId: string, codeStore?: string) =>
    database.write((sql) => joinNodes(sql, nodeOf(serverId, codeStore)));
  const leave = (serverId: string) => database.write((sql) => leaveNodes(sql, nodeOf(serverId)));
  const starts = (settings: Parameters<typeof requireSameStore>[1]) =>
    requireSameStore(database, settings, 'self');

  async function refused(work: Promise<unknown>, message: RegExp): Promise<void> {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof OperatorError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }

  it('do not run together', async () => {
    await join1('without');
    await refused(starts({ cluster, code }), /"without.test" runs without HOB_CODE/);
    await starts({ cluster, code: undefined });
    await starts({ cluster: undefined, code });
    await leave('without');
    await join1('other', '/other');
    await refused(starts({ cluster, code }), /"other.test" runs with the code in \/other/);
    await leave('other');
    await join1('same', '/store');
    await join1('self', '/before');
    await starts({ cluster, code });
    await leave('same');
    await leave('self');
  });

  it('do not follow a server that is alone with another one', async () => {
    const alone = { serverId: 'alone', name: 'alone.test' };
    await database.write((sql) => takeLease(sql, alone));
    await refused(starts({ cluster, code }), /"alone.test" runs without HOB_CODE/);
    // It looked before this, and has its archives where it had them.
    await database.write((sql) => insertClaim(sql, 'key', '/store'));
    await refused(starts({ cluster, code }), /"alone.test" runs without HOB_CODE/);
    await database.write((sql) => takeLease(sql, { ...alone, codeStore: '/other' }));
    await refused(starts({ cluster, code }), /"alone.test" runs with the code in \/other/);
    await database.write((sql) => takeLease(sql, { ...alone, codeStore: '/store' }));
    await starts({ cluster, code });
    await database.write((sql) =>
      sql.run("update nodes set lease_until = 0 where name = 'alone.test'"),
    );
    await database.write((sql) => sql.run('delete from function_code_stores'));
  });

  it('are upgraded one by one from a version that does not say where its code is', async () => {
    await join1('older');
    await join1('newer', '/store');
    await database.write((sql) =>
      sql.run("update nodes set code_store = null where server_id = 'older'"),
    );
    await refused(starts({ cluster, code }), /"older.test" runs without HOB_CODE/);
    await database.write((sql) => insertClaim(sql, 'key', '/store'));
    await starts({ cluster, code });
    await database.write((sql) => sql.run("update function_code_stores set location = '/other'"));
    await refused(starts({ cluster, code }), /"older.test" runs with the code in \/other/);
    await database.write((sql) => sql.run('delete from function_code_stores'));
    for (const name of ['older', 'newer']) await leave(name);
  });

  it('are found by the one without, which had passed before the store was claimed', async () => {
    const without = { cluster, code: undefined };
    await starts(without);
    await database.write(async (sql) => {
      await insertClaim(sql, 'key', '/store');
      await markClaim(sql, 'key', '/store');
    });
    await join1('self');
    await refused(starts(without), /The code of functions is in \/store: set HOB_CODE/);
    await leave('self');
    await database.write((sql) => sql.run('delete from function_code_stores'));
  });

  it('are found before anything is moved, by the one that claims the store', async () => {
    await inTemporaryFolder(async (folder) => {
      const location = { kind: 'folder', folder: join(folder, 'store') } as const;
      const archives = join(folder, 'shared', 'archives');
      for (const each of [location.folder, archives]) await mkdir(each, { recursive: true });
      await writeFile(join(archives, `${'a'.repeat(64)}.zip`), 'content');
      const settings = { cluster, code: location };
      await starts(settings);
      // The other one joins between this look and the claim.
      await join1('without');
      const ports = { database, random: systemRandom, log: createLog('silent') };
      const start = openArchives(
        { ...ports, checkStores: () => starts(settings) },
        { folder: join(folder, 'self'), sharedFolder: join(folder, 'shared'), location },
      );
      await refused(start, /"without.test" runs without HOB_CODE/);
      assert.deepEqual(await readdir(archives), [`${'a'.repeat(64)}.zip`]);
      assert.deepEqual(await readdir(location.folder), ['hob-code.json']);
      await leave('without');
    });
  });
});
