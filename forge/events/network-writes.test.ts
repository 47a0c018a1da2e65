import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { untilSomeoneWaits } from '../testing/waiting-writes.ts';
import { writeRepository } from './invalidate.ts';

describe('writes of two repositories of one network', () => {
  let forge: TestForge;
  let ids: readonly number[];
  before(async () => {
    forge = await startTestForge();
    const owner = await forge.user();
    const other = await forge.user();
    const source = await forge.repository(owner, { init: true });
    const forked = await other.post(`/repos/${source}/forks`);
    assert.equal(forked.status, 202, forked.text);
    ids = await Promise.all(
      [source, forked.body.full_name].map((name) => repositoryId(forge, name)),
    );
  });
  after(() => forge.close());

  test('at the same time are as one after the other', async () => {
    const { database } = forge.ports;
    const [source = 0, fork = 0] = ids;
    const begun = Promise.withResolvers<void>();
    // Each decides by what the other changes: without a common row, both would find the old descriptions.
    const describes = (id: number, by: number, hold: () => Promise<void>): Promise<unknown> =>
      writeRepository(database, id, async (sql) => {
        const row = await sql.get<{ description: string | null }>(
          'select description from repositories where id = $1',
          by,
        );
        begun.resolve();
        await hold();
        const seen = `${row?.description ?? 'nothing'}, then ${id}`;
        await sql.run('update repositories set description = $2 where id = $1', id, seen);
      });
    const first = describes(source, fork, () => untilSomeoneWaits(database));
    await begun.promise;
    await Promise.all([first, describes(fork, source, async () => {})]);
    const rows = await database.read((sql) =>
      sql.all<{ description: string }>(
        'select description from repositories where id in ($1, $2) order by id',
        source,
        fork,
      ),
    );
    assert.deepEqual(
      rows.map(({ description }) => description),
      [`nothing, then ${source}`, `nothing, then ${source}, then ${fork}`],
    );
  });
});
