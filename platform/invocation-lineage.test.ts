import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { currentLineage, inLineage, inLineageOf, setRequestLineage } from './invocation-lineage.ts';
import { openTestDatabase } from './testing/test-database.ts';

describe('the lineage of a request', () => {
  test('is absent unless the request was noted', () => {
    assert.equal(currentLineage(), undefined);
    assert.equal(inLineageOf({}, currentLineage), undefined);
  });

  test('is not inherited from the work that a request arrives in', () => {
    const seen = inLineage('0a1b2c3d:1', () => inLineageOf({}, currentLineage));
    assert.equal(seen, undefined);
  });

  test('holds across awaits, and nowhere else', async () => {
    const request = {};
    setRequestLineage(request, '0a1b2c3d:1');
    const seen = await inLineageOf(request, async () => {
      await Promise.resolve();
      return currentLineage();
    });
    assert.deepEqual([seen, currentLineage()], ['0a1b2c3d:1', undefined]);
  });

  test('ends where a stored chain is continued that has none', () => {
    const inside = inLineage('0a1b2c3d:1', () => inLineage(undefined, currentLineage));
    assert.equal(inside, undefined);
  });
});

describe('a transaction', () => {
  test('is part of the chain of its own writer, although writers share a commit', async () => {
    const database = await openTestDatabase();
    try {
      const write = (lineage: string | undefined): Promise<string | undefined> =>
        inLineage(lineage, () =>
          database.write(async (sql) => {
            await sql.get('select 1 as one');
            return currentLineage();
          }),
        );
      const chains = [undefined, '0a1b2c3d:1', undefined, '4e5f6071:2'];
      assert.deepEqual(await Promise.all(chains.map(write)), chains);
    } finally {
      await database.close();
    }
  });
});
