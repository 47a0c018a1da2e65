import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { Database, Sql } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { insertLayerVersion } from '../layers/layer-store.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import {
  createTestFunctions,
  testRole,
  testZip,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';
import { recordCode } from './code-store.ts';
import { zipOf } from './testing/zip-of.ts';

const size = testZip.length;
const other = zipOf({ 'index.mjs': 'export const handler = async () => [4]' });

describe('code storage of the account', () => {
  let functions: TestFunctions;
  // Three versions fit.
  beforeEach(async () => {
    assert.ok(Math.abs(other.length - size) < 10);
    functions = await createTestFunctions({ settings: { codeBytesMax: 3 * size + 20 } });
  });
  afterEach(() => functions.close());

  const create = (FunctionName: string, given = {}): Promise<TestResponse> =>
    functions.call('CreateFunction', {
      FunctionName,
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
      ...given,
    });
  const update = (given = {}): Promise<TestResponse> =>
    functions.call('UpdateFunctionCode', { FunctionName: 'fn', ZipFile: other, ...given });
  const publish = (given = {}): Promise<TestResponse> =>
    functions.call('PublishVersion', { FunctionName: 'fn', ...given });
  const publishLayer = (): Promise<TestResponse> =>
    functions.call('PublishLayerVersion', { LayerName: 'l', Content: { ZipFile: other } });
  const used = async (): Promise<number> =>
    (await functions.call('GetAccountSettings')).body.AccountUsage.TotalCodeSize;
  const assertExceeded = (answer: TestResponse): void => {
    assertRefused(answer, 'CodeStorageExceededException', 'Code storage limit exceeded.');
    assert.equal(answer.status, 400);
  };

  it('refuses what is beyond it before anything is stored', async () => {
    await functions.create('fn', { Publish: true });
    await functions.create('more');
    const before = await used();
    const folders = await readdir(join(functions.folder, 'code'));
    const another = zipOf({ 'index.mjs': 'export const handler = async () => [5]' });
    assertExceeded(await create('new', { Code: { ZipFile: another } }));
    assertExceeded(await publishLayer());
    assertExceeded(await update({ Publish: true }));
    assertExceeded(await update({ Publish: true, DryRun: true }));
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', Timeout: 9 });
    await functions.untilProvisioned();
    assertExceeded(await publish());
    assert.equal(await used(), before);
    assert.deepEqual(await readdir(join(functions.folder, 'code')), folders);
    const { body } = await functions.call('GetFunction', { FunctionName: 'fn' });
    assert.equal(body.Configuration.CodeSize, size);
    assert.equal((await functions.call('GetFunction', { FunctionName: 'new' })).status, 404);
    const { body: layers } = await functions.call('ListLayers');
    assert.deepEqual(layers.Layers, []);
  });

  it('refuses a function that would be published at once, and not the same without', async () => {
    await functions.create('fn', { Publish: true });
    assertExceeded(await create('new', { Publish: true }));
    assert.equal((await create('new')).status, 201);
  });

  it('lets code be replaced, and a version be asked for that is there', async () => {
    await functions.create('fn', { Publish: true });
    await functions.create('more');
    assert.equal((await publish()).body.Version, '1');
    assert.equal((await update()).status, 200);
    await functions.untilProvisioned();
    assert.equal((await update({ ZipFile: testZip })).status, 200);
  });

  it('has capacity again after a deletion', async () => {
    await functions.create('fn', { Publish: true });
    assert.equal((await publishLayer()).status, 201);
    assertExceeded(await create('new'));
    await functions.call('DeleteLayerVersion', { LayerName: 'l', VersionNumber: 1 });
    assert.equal((await create('new')).status, 201);
    await functions.untilProvisioned();
    assertExceeded(await publishLayer());
    await functions.call('DeleteFunction', { FunctionName: 'fn', Qualifier: '1' });
    assert.equal((await publishLayer()).status, 201);
  });

  it('reports itself', async () => {
    const { body } = await functions.call('GetAccountSettings');
    assert.equal(body.AccountLimit.TotalCodeSize, 3 * size + 20);
  });

  it('is not exceeded by many at once', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => create(name)));
    const made = answers.filter(({ status }) => status === 201);
    for (const answer of answers) if (answer.status !== 201) assertExceeded(answer);
    assert.equal(made.length, 3);
    assert.equal(await used(), 3 * size);
    await functions.untilProvisioned();
  });
});

describe('code storage of several servers', () => {
  let database: Database;
  let functions: TestFunctions;
  /** What another server commits just before the next write of this one, or after some more. */
  let before: ((sql: Sql) => Promise<unknown>) | undefined;
  let writesBefore: number;

  beforeEach(async () => {
    before = undefined;
    writesBefore = 0;
    database = await openTestDatabase();
    functions = await createTestFunctions({
      settings: { codeBytesMax: 3 * size + 20 },
      isShared: true,
      database: {
        ...database,
        async write(work, options) {
          const committed = before;
          if (committed && writesBefore === 0) {
            before = undefined;
            await database.write(committed);
          } else if (committed) writesBefore -= 1;
          return database.write(work, options);
        },
      },
    });
    await functions.create('fn');
  });
  afterEach(async () => {
    await functions.close();
    await database.close();
  });

  const publishTwoLayers = async (sql: Sql): Promise<void> => {
    const code = { sha256: 'a'.repeat(64), size, unzippedSize: 1 };
    await recordCode(sql, code, 0);
    for (const name of ['one', 'two']) {
      await insertLayerVersion(sql, {
        name,
        content: code,
        description: '',
        licenseInfo: undefined,
        compatibleRuntimes: undefined,
        compatibleArchitectures: undefined,
        createdAt: 0,
      });
    }
  };

  for (const [operation, input] of [
    [
      'CreateFunction',
      {
        FunctionName: 'new',
        Role: testRole,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Code: { ZipFile: other },
      },
    ],
    ['PublishVersion', { FunctionName: 'fn' }],
    ['PublishLayerVersion', { LayerName: 'l', Content: { ZipFile: other } }],
    ['UpdateFunctionCode', { FunctionName: 'fn', ZipFile: other, Publish: true }],
  ] as const) {
    it(`refuses ${operation} what another one has taken meanwhile`, async () => {
      before = publishTwoLayers;
      const refused = await functions.call(operation, input);
      assertRefused(refused, 'CodeStorageExceededException', 'Code storage limit exceeded.');
      const { body } = await functions.call('GetAccountSettings');
      assert.equal(body.AccountUsage.TotalCodeSize, 3 * size);
      await functions.untilProvisioned();
    });
  }

  for (const writes of [0, 1, 2, 3]) {
    it(`updates and publishes, or neither, where another one takes it after ${writes} writes`, async () => {
      const shown = async (): Promise<unknown> =>
        (await functions.call('GetFunctionConfiguration', { FunctionName: 'fn' })).body.CodeSha256;
      const was = await shown();
      before = publishTwoLayers;
      writesBefore = writes;
      const { status } = await functions.call('UpdateFunctionCode', {
        FunctionName: 'fn',
        ZipFile: other,
        Publish: true,
      });
      before = undefined;
      const { body } = await functions.call('ListVersionsByFunction', { FunctionName: 'fn' });
      const outcome = [status, body.Versions.length, (await shown()) === was];
      assert.deepEqual(outcome, status === 200 ? [200, 2, false] : [400, 1, true]);
      await functions.untilProvisioned();
    });
  }

  it('counts code that an update replaces', async () => {
    before = publishTwoLayers;
    const update = await functions.call('UpdateFunctionCode', {
      FunctionName: 'fn',
      ZipFile: other,
    });
    assert.equal(update.status, 200);
    await functions.untilProvisioned();
  });
});
