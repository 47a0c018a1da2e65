import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { openPostgres } from '#platform/database/postgres-database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { type PrivatePostgres, startPostgres } from '../scripts/private-postgres.ts';
import { atExit } from './child-processes.ts';

const skip = testPostgresUrl === undefined ? 'is of PostgreSQL' : false;

const things = {
  name: '0001-things',
  text: 'create table things (number {{bigint}});',
  checksum: 'things',
  replaces: [],
  expands: true,
};

describe('a standby of PostgreSQL', { skip, timeout: 120_000 }, () => {
  let postgres: PrivatePostgres;
  let takeBack: () => void;
  before(() => {
    postgres = startPostgres('durable');
    takeBack = atExit(() => postgres.stop());
  });
  after(() => {
    postgres.stop();
    takeBack();
  });

  it('answers nothing, also not what only reads, until it is the primary', async () => {
    const database = await openPostgres(postgres.url, [things]);
    const insert = 'insert into things (number) values (1)';
    const count = (): Promise<unknown> =>
      database.read((sql) => sql.get('select count(*) as rows from things'));
    try {
      await database.write((sql) => sql.run(insert));
      postgres.halt('fast');
      postgres.resumeAsStandby();
      // The first of each kind may hear that its connection was closed; the second connects with the standby.
      for (let round = 0; round < 2; round += 1) {
        for (const work of [
          () => database.write((sql) => sql.run(insert)),
          () => database.write((sql) => sql.run(insert), { isolation: 'read committed' }),
          count,
          () => database.readOne((sql) => sql.get('select number from things')),
        ]) {
          await assert.rejects(work, (error) => {
            assert.ok(error instanceof DatabaseUnavailableError, String(error));
            return true;
          });
        }
      }
      await assert.rejects(openPostgres(postgres.url, [things]), (error) => {
        assert.ok(error instanceof OperatorError, String(error));
        assert.match(error.message, /^Cannot use the database .*: it is a standby, or/);
        return true;
      });
      postgres.promote();
      await database.write((sql) => sql.run(insert));
      assert.deepEqual(await count(), { rows: 2 });
    } finally {
      await database.close();
    }
  });
});
