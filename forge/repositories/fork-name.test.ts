import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';

import { RefusalError } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { untilSomeoneWaits } from '../testing/waiting-writes.ts';
import { forkRepository } from './fork-repository.ts';
import { repositoriesById, updateRepository } from './repository-store.ts';

describe('the name of a fork', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('is another one where a repository of its owner gets that of the source at the same time', async () => {
    const { database } = forge;
    const source = await forge.repository(await forge.user(), { init: true, name: 'tools' });
    const owner = await forge.user();
    const id = await repositoryId(forge, await forge.repository(owner));
    const begun = Promise.withResolvers<void>();
    const renaming = writeRepository(database, id, async (sql) => {
      await updateRepository(sql, id, { name: 'tools' }, forge.clock.now());
      begun.resolve();
      await untilSomeoneWaits(database);
    });
    await begun.promise;
    const forked = await owner.post(`/repos/${source}/forks`);
    await renaming;
    assert.equal(forked.status, 202, forked.text);
    assert.equal(forked.body.name, 'tools-1');
  });

  test('is looked for a limited number of times', async () => {
    const id = await repositoryId(
      forge,
      await forge.repository(await forge.user(), { init: true }),
    );
    const source = (await forge.database.read((sql) => repositoriesById(sql, [id]))).get(id);
    assert.ok(source);
    let writes = 0;
    const write: Database['write'] = async () => {
      writes += 1;
      const isEndless = writes > 100;
      throw isEndless ? new Error('endless') : Object.assign(new Error('taken'), { code: '23505' });
    };
    const database: Database = Object.assign(Object.create(forge.database), { write });
    const { account } = await forge.user();
    const input = { source, owner: account, creator: account, now: forge.clock.now() };
    await assert.rejects(
      forkRepository({ ...forge.ports, database }, input),
      (error) => error instanceof RefusalError && error.refusal.kind === 'unavailable',
    );
  });
});
