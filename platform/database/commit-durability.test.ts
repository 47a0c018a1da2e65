import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { systemRandom } from '../random.ts';
import { dropMade, madeSchema, testPostgresUrl } from '../testing/test-postgres.ts';
import { lossyCommits, warnOfLossyCommits } from './commit-durability.ts';
import { openPostgres } from './postgres-database.ts';

const durable = { fsync: 'on', synchronousCommit: 'on', synchronousStandbyNames: 'ANY 1 (b, c)' };

describe('commits that PostgreSQL may lose', () => {
  it('are none on one server that syncs, nor where a standby has each', () => {
    const alone = { ...durable, synchronousStandbyNames: '' };
    assert.deepEqual(lossyCommits(alone, false), []);
    assert.deepEqual(lossyCommits({ ...alone, synchronousCommit: 'local' }, false), []);
    assert.deepEqual(lossyCommits(durable, true), []);
    assert.deepEqual(lossyCommits({ ...durable, synchronousCommit: 'remote_apply' }, true), []);
  });

  it('are those of a database that has no such settings only where it says so', () => {
    const unknown = {
      fsync: undefined,
      synchronousCommit: undefined,
      synchronousStandbyNames: undefined,
    };
    assert.deepEqual(lossyCommits(unknown, true), []);
  });

  it('are named with what to set', () => {
    const local = { ...durable, synchronousCommit: 'local' };
    assert.match(lossyCommits(local, false).join(), /^synchronous_commit .* a failover .*= on$/);
    const off = { ...durable, synchronousCommit: 'off' };
    assert.match(lossyCommits(off, false).join(), /^synchronous_commit .* a crash .*= on$/);
    const none = { ...durable, synchronousStandbyNames: '' };
    assert.match(lossyCommits(none, true).join(), /^DATABASE_URL .* Name the standbys in/);
  });
});

describe('the settings of a PostgreSQL server', { skip: testPostgresUrl === undefined }, () => {
  const schema = `hob_test_${systemRandom.token().slice(0, 16)}`;
  const warnings = async (text: string, change: (url: string) => string): Promise<unknown[]> => {
    const found: unknown[] = [];
    const made = await madeSchema(testPostgresUrl ?? '', schema);
    const address = new URL(made);
    address.searchParams.set('synchronous_commit', text);
    const url = change(address.href);
    const database = await openPostgres(url, [], undefined, { connectionsMax: 1 });
    try {
      const warn = (_fields: object, message: string) => found.push(message.split(':')[0]);
      await warnOfLossyCommits(database, url, { warn });
    } finally {
      await database.close();
      await dropMade(testPostgresUrl ?? '', made);
    }
    // The server of the tests keeps nothing: it does not outlive the run.
    return found.filter((each) => each !== 'fsync of PostgreSQL is off');
  };
  const asItIs = (url: string): string => url;
  const twice = (url: string): string =>
    url.replace(/@([^/?]*)/, (_, host: string) => `@${host},${host}`);

  it('are those of the session', async () => {
    assert.deepEqual(await warnings('on', asItIs), []);
    assert.deepEqual(await warnings('local', asItIs), []);
    assert.deepEqual(await warnings('off', asItIs), ['synchronous_commit of PostgreSQL is off']);
  });

  it('matter more where the URL has several hosts', async () => {
    const names =
      'DATABASE_URL has several hosts, but synchronous_standby_names of PostgreSQL is empty';
    assert.deepEqual(await warnings('on', twice), [names]);
    assert.deepEqual(await warnings('local', twice), [
      'synchronous_commit of PostgreSQL is local',
      names,
    ]);
  });
});
