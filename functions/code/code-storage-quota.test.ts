import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { Database, Sql } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { insertLayerVersion } from '../layers/layer-store.ts';
import { createCodeStorageQuota } from './code-storage-quota.ts';
import { measureCode, recordCode } from './code-store.ts';

const refusal = { code: 'CodeStorageExceededException', message: 'Code storage limit exceeded.' };

describe('the quota of code storage', () => {
  it('is refused when it is not there, before anything is stored', async () => {
    const quota = createCodeStorageQuota(100, async () => 90);
    await assert.rejects(
      quota.reserve(11, 0, () => assert.fail('it was stored')),
      refusal,
    );
    await quota.reserve(10, 0, async () => undefined);
  });

  it('is refused to what others are about to take', async () => {
    let stored = 0;
    const quota = createCodeStorageQuota(100, async () => stored);
    const { promise, resolve } = Promise.withResolvers<void>();
    const store = async (): Promise<void> => {
      await promise;
      stored += 60;
    };
    const first = quota.reserve(60, 0, store);
    await assert.rejects(quota.reserve(60, 0, store), refusal);
    await assert.rejects(quota.reserve(41, 0, store), refusal);
    resolve();
    await first;
    assert.equal(stored, 60);
  });

  it('is given back when storing fails', async () => {
    const quota = createCodeStorageQuota(100, async () => 0);
    const failed = new Error('disk');
    for (let count = 0; count < 3; count += 1) {
      await assert.rejects(
        quota.reserve(100, 0, () => Promise.reject(failed)),
        failed,
      );
    }
    assert.equal(await quota.reserve(100, 0, async () => 'stored'), 'stored');
  });

  it('counts what is freed by what is stored', async () => {
    const quota = createCodeStorageQuota(100, async () => 100);
    await assert.rejects(
      quota.reserve(41, 40, async () => undefined),
      refusal,
    );
    await quota.reserve(40, 40, async () => undefined);
  });

  it('is measured at first and when it may be too small, and not in between', async () => {
    let measurements = 0;
    let stored = 0;
    const quota = createCodeStorageQuota(100, async () => {
      measurements += 1;
      return stored;
    });
    const store = async (): Promise<void> => {
      stored += 10;
    };
    for (let count = 0; count < 10; count += 1) await quota.reserve(10, 0, store);
    assert.equal(measurements, 1);
    await assert.rejects(quota.reserve(10, 0, store), refusal);
    assert.equal(measurements, 2);
    // Functions were deleted.
    stored = 0;
    for (let count = 0; count < 10; count += 1) await quota.reserve(10, 0, store);
    assert.equal(measurements, 3);
  });

  it('misses nothing that is stored while it is measured', async () => {
    let stored = 0;
    const answers: (() => void)[] = [];
    const quota = createCodeStorageQuota(100, async () => {
      const bytes = stored;
      await new Promise<void>((resolve) => answers.push(resolve));
      return bytes;
    });
    const store = async (): Promise<void> => {
      stored += 40;
    };
    const first = quota.reserve(40, 0, store);
    const second = quota.reserve(40, 0, store);
    answers[0]?.();
    await first;
    answers[1]?.();
    await second;
    const third = quota.reserve(40, 0, store);
    answers.at(-1)?.();
    await assert.rejects(third, refusal);
  });
});

describe('the quota of code storage of several servers', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  const addLayer = async (sql: Sql, sha256: string): Promise<void> => {
    const code = { sha256, size: 60, unzippedSize: 1 };
    await recordCode(sql, code, 0);
    await insertLayerVersion(sql, {
      name: sha256,
      content: code,
      description: '',
      licenseInfo: undefined,
      compatibleRuntimes: undefined,
      compatibleArchitectures: undefined,
      createdAt: 0,
    });
  };

  for (const how of ['one after the other', 'at once'] as const) {
    it(`is not exceeded by two that have each found it sufficient and store ${how}`, async () => {
      const both = Promise.withResolvers<void>();
      // PostgreSQL alone decides where nothing else lets one wait for the other, as two processes do whose queues are not shared.
      const separate: Pick<Database, 'write'> = { write: (work) => database.write(work) };
      let waiting = 0;
      const outcomes = await Promise.allSettled(
        ['a', 'b'].map((letter) => {
          const quota = createCodeStorageQuota(100, () => database.read(measureCode), true);
          return quota.reserve(60, 0, async () => {
            waiting += 1;
            if (waiting === 2) both.resolve();
            await both.promise;
            const through = how === 'at once' ? separate : database;
            await quota.write(through, 60, (sql) => addLayer(sql, letter.repeat(64)));
          });
        }),
      );
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      const refused = outcomes.find((outcome) => outcome.status === 'rejected');
      assert.equal(Object(refused?.reason).code, refusal.code);
      assert.equal(await database.read(measureCode), 60);
    });
  }
});
