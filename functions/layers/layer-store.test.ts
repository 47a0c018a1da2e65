import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { findCode, forgetCodes, recordCode } from '../code/code-store.ts';
import {
  deleteLayerStatement,
  findLayerPolicy,
  insertLayerStatement,
} from './layer-policy-store.ts';
import {
  codesOfLayers,
  deleteLayerVersion,
  deletedLayerVersions,
  dropLayerVersion,
  findLayerVersion,
  insertLayerVersion,
  listLayers,
  listLayerVersions,
} from './layer-store.ts';
import type { LayerFilter, NewLayerVersion, KeysetPage } from './layer-store.ts';
import type { LayerVersion } from './layer.ts';

const everything = { runtime: undefined, architecture: undefined };
const firstPage = { after: undefined, size: 10 };

function layer(name: string, rest: Partial<NewLayerVersion> = {}): NewLayerVersion {
  return {
    name,
    content: { sha256: `of-${name}`, size: 10, unzippedSize: 20 },
    description: '',
    licenseInfo: undefined,
    compatibleRuntimes: [],
    compatibleArchitectures: [],
    createdAt: 1,
    ...rest,
  };
}

describe('layer store', () => {
  let database: Database;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  function publish(version: NewLayerVersion): Promise<LayerVersion> {
    return database.write(async (sql) => {
      await recordCode(sql, version.content, 1);
      return insertLayerVersion(sql, version);
    });
  }

  it('numbers versions, and never uses a number again', async () => {
    const first = await publish(layer('numbers', { licenseInfo: 'MIT', description: 'one' }));
    assert.equal(first.version, 1);
    assert.equal((await publish(layer('numbers'))).version, 2);
    assert.deepEqual(await database.read((sql) => findLayerVersion(sql, 'numbers', 1)), first);
    assert.equal(await database.write((sql) => deleteLayerVersion(sql, 'numbers', 2, 5)), true);
    assert.equal(await database.write((sql) => deleteLayerVersion(sql, 'numbers', 2, 5)), false);
    assert.equal(await database.write((sql) => deleteLayerVersion(sql, 'none', 1, 5)), false);
    assert.equal((await publish(layer('numbers'))).version, 3);
    const deleted = await database.read((sql) => findLayerVersion(sql, 'numbers', 2));
    assert.equal(deleted?.deleted, true);
  });

  it('lists what is not deleted and fits, page by page', async () => {
    await publish(layer('list-a', { compatibleRuntimes: ['python3.12', 'nodejs22.x'] }));
    await publish(layer('list-a', { compatibleRuntimes: ['python3.13'] }));
    await publish(layer('list-a', { compatibleArchitectures: ['x86_64'] }));
    await publish(layer('list-b', { compatibleRuntimes: ['python3.12'] }));
    await database.write((sql) => deleteLayerVersion(sql, 'list-b', 1, 5));

    const versions = async (
      filter: LayerFilter = everything,
      page: KeysetPage<number> = firstPage,
    ): Promise<number[]> => {
      const found = await database.read((sql) => listLayerVersions(sql, 'list-a', filter, page));
      return found.map(({ version }) => version);
    };
    assert.deepEqual(await versions(), [3, 2, 1]);
    assert.deepEqual(await versions(everything, { after: 3, size: 1 }), [2]);
    assert.deepEqual(await versions({ ...everything, runtime: 'nodejs22.x' }), [1]);
    assert.deepEqual(await versions({ ...everything, architecture: 'x86_64' }), [3]);
    assert.deepEqual(await versions({ ...everything, architecture: 'x86%64' }), []);

    const page = { after: 'list', size: 10 };
    const all = await database.read((sql) => listLayers(sql, everything, page));
    const newest = all.map((one) => [one.name, one.version]);
    assert.deepEqual(newest, [
      ['list-a', 3],
      ['numbers', 3],
    ]);
    const python = { runtime: 'python3.12', architecture: undefined };
    const fitting = await database.read((sql) => listLayers(sql, python, firstPage));
    assert.deepEqual(
      fitting.map((one) => [one.name, one.version]),
      [['list-a', 1]],
    );
  });

  it('keeps a deleted version until it is dropped, and its archive as long', async () => {
    const { id } = await publish(layer('used'));
    const deleted = async (): Promise<object[]> =>
      (await database.read(deletedLayerVersions)).filter(({ name }) => name === 'used');
    const drop = (): Promise<void> => database.write((sql) => dropLayerVersion(sql, id));
    await drop();
    assert.deepEqual(await deleted(), []);
    await database.write((sql) => deleteLayerVersion(sql, 'used', 1, 5));
    assert.equal((await deleted()).length, 1);
    assert.equal((await database.read(codesOfLayers)).has('of-used'), true);
    await drop();
    assert.deepEqual(await deleted(), []);
    assert.equal((await database.read(codesOfLayers)).has('of-used'), false);
  });

  it('forgets archives that nothing names', async () => {
    const code = { sha256: 'forgotten', size: 1, unzippedSize: 2 };
    await database.write((sql) => recordCode(sql, code, 1));
    await database.write((sql) => recordCode(sql, code, 2));
    assert.deepEqual(await database.read((sql) => findCode(sql, 'forgotten')), code);
    const forget = async (): Promise<number> =>
      database.write(async (sql) => forgetCodes(sql, await codesOfLayers(sql)));
    await forget();
    assert.equal(await forget(), 0);
    assert.equal(await database.read((sql) => findCode(sql, 'forgotten')), undefined);
  });

  it('keeps a policy statement by statement', async () => {
    const { id } = await publish(layer('policy'));
    const statement = { id: 's1', text: '{"Sid":"s1"}' };
    const policy = () => database.read((sql) => findLayerPolicy(sql, id));
    assert.equal(await policy(), undefined);
    await database.write((sql) => insertLayerStatement(sql, id, statement, 'r1'));
    const again = database.write((sql) => insertLayerStatement(sql, id, statement, 'r2'));
    await assert.rejects(again, uniqueViolation);
    assert.deepEqual(await policy(), { statements: [statement], revision: 'r1' });
    assert.equal(await database.write((sql) => deleteLayerStatement(sql, id, 'x', 'r3')), false);
    assert.equal(await database.write((sql) => deleteLayerStatement(sql, id, 's1', 'r3')), true);
    assert.equal(await policy(), undefined);
  });
});
