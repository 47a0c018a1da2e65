import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { createLog } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';

import { openS3Archives } from '../code/archives/s3-archives.ts';
import { openS3Bucket, type S3Bucket } from '../code/archives/s3-bucket.ts';
import { type CodeFiles, openCodeFiles } from '../code/code-files.ts';
import { type S3Server, startS3Server } from '../code/testing/s3-server.ts';
import { zipOf } from '../code/testing/zip-of.ts';
import { openMergedLayers } from '../layers/merge-layers.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createRemovalOfUnused } from './remove-unused.ts';

describe('archives in a bucket that no function names any more', () => {
  const minute = 60_000;
  let functions: TestFunctions;
  let store: S3Server;
  let bucket: S3Bucket;
  let code: CodeFiles;
  let remove: () => Promise<void>;
  // oxlint-disable-next-line typescript/no-explicit-any -- lines of the log
  let lines: any[];

  before(async () => {
    functions = await createTestFunctions();
    store = await startS3Server();
    bucket = await openS3Bucket(store.location);
    const { ports, folder, clock } = functions;
    const shared = await openS3Archives(bucket, join(folder, 'copies'), systemRandom);
    code = await openCodeFiles(join(folder, 'node'), { shared });
    const mergedLayers = await openMergedLayers(join(folder, 'layers'), code);
    lines = [];
    const log = createLog('info', (line) => lines.push(JSON.parse(line)));
    const elapsed = (): number => clock.now();
    remove = createRemovalOfUnused({ ...ports, code, mergedLayers, log, elapsed });
  });
  after(async () => {
    bucket.close();
    await store.close();
    await functions.close();
  });

  /** The service's clock and that of the store. */
  function pass(minutes: number): void {
    functions.clock.advance(minutes * minute);
    for (const object of store.objects.values()) object.modified -= minutes * minute;
  }

  /** Uploads an archive whose row is never written. */
  async function unnamed(text: string): Promise<string> {
    const archive = zipOf({ 'index.js': text });
    await code.ingest(archive, async () => {});
    return createHash('sha256').update(archive).digest('hex');
  }

  const isStored = (sha256: string): boolean => store.objects.has(`hob/${sha256}.zip`);
  const isMoved = (sha256: string): boolean =>
    [...store.objects.keys()].some((name) => name.startsWith(`hob/unreferenced/${sha256}-`));

  it('are moved after an hour, and deleted an hour later', async () => {
    const left = await unnamed('left');
    await functions.create('named', {
      Code: { ZipFile: zipOf({ 'index.js': 'named' }).toString('base64') },
    });
    const named = await unnamed('named');
    await remove();
    assert.deepEqual([isStored(left), isMoved(left)], [true, false]);
    pass(61);
    await remove();
    assert.deepEqual([isStored(left), isMoved(left)], [false, true]);
    pass(20);
    await remove();
    pass(59);
    await remove();
    assert.equal(isMoved(left), true);
    pass(2);
    await remove();
    assert.deepEqual([isStored(left), isMoved(left)], [false, false]);
    assert.deepEqual([isStored(named), isMoved(named)], [true, false]);
  });

  it('stay where they were moved while a function names them, however late it does', async () => {
    const back = await unnamed('back');
    await remove();
    pass(61);
    await remove();
    assert.deepEqual([isStored(back), isMoved(back)], [false, true]);
    pass(59);
    await functions.create('back', {
      Code: { ZipFile: zipOf({ 'index.js': 'back' }).toString('base64') },
    });
    for (let look = 0; look < 4; look += 1) {
      await remove();
      pass(61);
    }
    assert.deepEqual([isStored(back), isMoved(back)], [false, true]);
    (await code.openArchive(back)).destroy();

    const answer = await functions.call('DeleteFunction', { FunctionName: 'back' });
    assert.equal(answer.status, 204);
    for (let look = 0; look < 4; look += 1) {
      await remove();
      pass(61);
    }
    assert.deepEqual([isStored(back), isMoved(back)], [false, false]);
  });

  it('do not hold up what is removed of this host while the bucket cannot be reached', async () => {
    const local = await unnamed('local');
    const unpacked = async (): Promise<boolean> =>
      (await readdir(join(functions.folder, 'node'))).includes(local);
    await remove();
    await remove();
    pass(61);
    lines.length = 0;
    store.fault = (_request, response) => {
      response.destroy();
      return true;
    };
    await assert.rejects(remove(), { message: 'Not all unused code was removed: sharedArchives.' });
    assert.equal(await unpacked(), false);
    assert.ok(
      lines.some(({ msg, kind }) => /failed; trying again/.test(msg) && kind === 'sharedArchives'),
    );
    store.fault = undefined;
    assert.equal(isStored(local), true);
    await remove();
    assert.deepEqual([isStored(local), isMoved(local)], [false, true]);
  });
});
