import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { createLog } from '#platform/log.ts';

import { zipOf } from '../code/testing/zip-of.ts';
import { openMergedLayers, type MergedLayers } from '../layers/merge-layers.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createTestHomes } from '../testing/test-homes.ts';
import { createRemovalOfUnused, removalOfCode } from './remove-unused.ts';

describe('what functions do not use any more', () => {
  const minute = 60_000;
  let functions: TestFunctions;
  let mergedLayers: MergedLayers;
  /** Of the removal alone: the functions are of this server. */
  const homes = createTestHomes();
  /** By how much the wall clock was set, which is no time that has passed. */
  let stepped = 0;
  let remove: () => Promise<void>;
  // oxlint-disable-next-line typescript/no-explicit-any -- lines of the log
  let lines: any[];
  /** Done between the reads of the removal and what it does with them. */
  let afterRead: (() => Promise<unknown>) | undefined;

  before(async () => {
    functions = await createTestFunctions();
    const { ports, folder, clock } = functions;
    mergedLayers = await openMergedLayers(join(folder, 'layers'), ports.code);
    lines = [];
    const log = createLog('info', (line) => lines.push(JSON.parse(line)));
    const database: Database = {
      ...ports.database,
      async read(work) {
        const value = await ports.database.read(work);
        await afterRead?.();
        return value;
      },
    };
    const elapsed = (): number => clock.now() - stepped;
    // The service's ports have the wall clock; the removal must not count by it.
    remove = createRemovalOfUnused({ ...ports, database, mergedLayers, log, elapsed, homes });
  });
  after(() => functions.close());

  const zip = (text: string): string => zipOf({ 'index.js': text }).toString('base64');

  async function folders(kind: 'code' | 'layers' | 'images'): Promise<string[]> {
    return (await readdir(join(functions.folder, kind))).toSorted();
  }

  async function count(table: string): Promise<number> {
    const { database } = functions.ports;
    const row = await database.read((sql) =>
      sql.get<{ n: number }>(`select count(*) as n from ${table}`),
    );
    return row?.n ?? 0;
  }

  async function call(operation: string, input: Record<string, unknown>): Promise<any> {
    const answer = await functions.call(operation, input);
    assert.ok(answer.status < 300, `${operation}: ${answer.text}`);
    await functions.untilProvisioned();
    return answer.body;
  }

  /** What is due now, and what the log says of it. */
  async function removed(): Promise<any> {
    lines.length = 0;
    await remove();
    return lines[0];
  }

  it('stays while it is used, and for an hour after', async () => {
    await functions.create('retained', { Code: { ZipFile: zip('retained') } });
    const retained = await folders('code');
    await functions.create('updated', { Code: { ZipFile: zip('before') } });
    await call('UpdateFunctionCode', { FunctionName: 'updated', ZipFile: zip('after') });
    await functions.create('deleted', { Code: { ZipFile: zip('deleted') } });
    await call('DeleteFunction', { FunctionName: 'deleted' });
    assert.equal((await folders('code')).length, 4);
    const configurations = await count('function_configurations');

    assert.equal(await removed(), undefined);
    functions.clock.advance(59 * minute);
    assert.equal(await removed(), undefined);
    assert.equal((await folders('code')).length, 4);

    functions.clock.advance(minute);
    const { msg, configurations: gone } = await removed();
    assert.deepEqual([msg, gone > 0], ['removed unused code', true]);
    assert.equal(await count('function_configurations'), configurations - gone);
    // The archives were named by the configurations until now.
    functions.clock.advance(60 * minute);
    await removed();
    functions.clock.advance(60 * minute);
    await removed();
    const left = await folders('code');
    assert.equal(left.length, 2);
    assert.ok(retained.every((name) => left.includes(name)));
    for (const FunctionName of ['retained', 'updated']) {
      assert.equal((await functions.call('GetFunction', { FunctionName })).status, 200);
      assert.equal((await functions.call('Invoke', { FunctionName })).status, 200);
    }
  });

  it('stays where a published version has it', async () => {
    await functions.create('versions', { Code: { ZipFile: zip('one') } });
    await call('PublishVersion', { FunctionName: 'versions' });
    await call('UpdateFunctionCode', { FunctionName: 'versions', ZipFile: zip('two') });
    const present = await folders('code');
    for (let look = 0; look < 4; look += 1) {
      functions.clock.advance(61 * minute);
      await removed();
    }
    assert.deepEqual(await folders('code'), present);
    const answer = await functions.call('Invoke', { FunctionName: 'versions', Qualifier: '1' });
    assert.equal(answer.status, 200);
  });

  it('is a deleted layer once the last function without it is another', async () => {
    const { LayerVersionArn } = await call('PublishLayerVersion', {
      LayerName: 'tools',
      Content: { ZipFile: zip('layer') },
    });
    await functions.create('layered', { Layers: [LayerVersionArn] });
    await call('DeleteLayerVersion', { LayerName: 'tools', VersionNumber: 1 });
    const rows = await functions.ports.database.read((sql) =>
      sql.all<{ code_sha256: string }>(`select code_sha256 from layer_versions`),
    );
    const list = rows.map((row) => row.code_sha256);
    await mergedLayers.use(list, async () => {});
    assert.equal((await folders('layers')).length, 1);
    for (let look = 0; look < 3; look += 1) {
      functions.clock.advance(61 * minute);
      await removed();
    }
    assert.equal(await count('layer_versions'), 1);
    assert.equal((await folders('layers')).length, 1);

    await call('UpdateFunctionConfiguration', { FunctionName: 'layered', Layers: [] });
    for (let look = 0; look < 6; look += 1) {
      functions.clock.advance(61 * minute);
      await removed();
    }
    assert.equal(await count('layer_versions'), 0);
    assert.deepEqual(await folders('layers'), []);
    assert.ok(!(await folders('code')).includes(list[0] ?? ''));
  });

  it('is an image that no version names', async () => {
    await mkdir(join(functions.folder, 'images', 'ab'.repeat(32)), { recursive: true });
    assert.equal(await removed(), undefined);
    functions.clock.advance(61 * minute);
    assert.equal((await removed()).images, 1);
    assert.deepEqual(await folders('images'), []);
  });

  it('is removed in parts, not all at once', async () => {
    for (let number = 0; number < 201; number += 1) {
      const digest = String(number).padStart(64, '0');
      await mkdir(join(functions.folder, 'images', digest), { recursive: true });
    }
    await removed();
    functions.clock.advance(61 * minute);
    assert.equal((await removed()).images, 200);
    assert.equal((await removed()).images, 1);
  });

  it('is not lost to a function that is made of the same code meanwhile', async () => {
    const Code = { ZipFile: zip('the same again') };
    const present = await folders('code');
    await functions.create('first', { Code });
    await call('DeleteFunction', { FunctionName: 'first' });
    // The first look after the upload counts it as used.
    await removed();
    await removed();
    functions.clock.advance(61 * minute);
    const made: Promise<unknown>[] = [];
    afterRead = async () => {
      afterRead = undefined;
      for (const name of ['second', 'third']) made.push(functions.create(name, { Code }));
      await Promise.all(made);
    };
    await removed();
    assert.equal(made.length, 2);
    assert.equal((await folders('code')).length, present.length + 1);
    // A third one begins while the folder is being removed.
    for (const FunctionName of ['second', 'third']) await call('DeleteFunction', { FunctionName });
    await removed();
    await removed();
    functions.clock.advance(61 * minute);
    const [, answer] = await Promise.all([removed(), functions.create('fourth', { Code })]);
    assert.equal(answer.status, 201);
    assert.equal((await folders('code')).length, present.length + 1);
    const sha256 = Buffer.from(answer.body.CodeSha256, 'base64').toString('hex');
    assert.ok((await functions.ports.code.openArchive(sha256)).destroy());
  });

  it('counts its hour anew when it is used in between', async () => {
    await functions.create('back', { Code: { ZipFile: zip('back and forth') } });
    const present = await folders('code');
    await call('DeleteFunction', { FunctionName: 'back' });
    await removed();
    functions.clock.advance(59 * minute);
    await functions.create('back', { Code: { ZipFile: zip('back and forth') } });
    await removed();
    await call('DeleteFunction', { FunctionName: 'back' });
    functions.clock.advance(59 * minute);
    await removed();
    assert.deepEqual(await folders('code'), present);
  });

  it('counts its hour whatever the wall clock is set to meanwhile', async () => {
    const step = (milliseconds: number): void => {
      functions.clock.advance(milliseconds);
      stepped += milliseconds;
    };
    await mkdir(join(functions.folder, 'images', 'cd'.repeat(32)), { recursive: true });
    assert.equal(await removed(), undefined);
    step(61 * minute);
    assert.equal(await removed(), undefined);
    step(-122 * minute);
    functions.clock.advance(59 * minute);
    assert.equal(await removed(), undefined);
    functions.clock.advance(minute);
    assert.equal((await removed()).images, 1);
  });

  it('of all servers is removed by one of them', async () => {
    await functions.create('shared', { Code: { ZipFile: zip('shared') } });
    await call('UpdateFunctionCode', { FunctionName: 'shared', ZipFile: zip('next') });
    const configurations = await count('function_configurations');
    homes.own();
    await removed();
    functions.clock.advance(60 * minute);
    await removed();
    assert.equal(await count('function_configurations'), configurations);
    homes.own(removalOfCode);
    await removed();
    functions.clock.advance(60 * minute);
    await removed();
    assert.ok((await count('function_configurations')) < configurations);
  });
});
