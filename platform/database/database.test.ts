import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { Database } from './database.ts';
import { selectPage } from './page-store.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { foreignKeyViolation, uniqueViolation } from './constraint-violation.ts';

describe('a database, on either engine', () => {
  let database: Database;

  beforeEach(async () => {
    database = await openTestDatabase();
    await database.write((sql) =>
      sql.run('create table things (name text primary key, number bigint not null)'),
    );
  });

  afterEach(() => database.close());

  const insert = (name: string, number = 0): Promise<number> =>
    database.write((sql) =>
      sql.run('insert into things (name, number) values ($1, $2)', name, number),
    );

  const increment = (): Promise<number> =>
    database.write(async (sql) => {
      const row = await sql.get<{ number: number }>(
        "select number from things where name = 'counter'",
      );
      const next = (row?.number ?? 0) + 1;
      await sql.run("update things set number = $1 where name = 'counter'", next);
      return next;
    });

  const names = (): Promise<string[]> =>
    database.read(async (sql) => {
      const rows = await sql.all<{ name: string }>('select name from things order by name');
      return rows.map((row) => row.name);
    });

  it('gives one page of a list and the number of all that match', async () => {
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) await insert(name, index);
    const list = {
      columns: 'name',
      from: 'things where number >= $1',
      values: [1],
      order: 'name desc',
    };
    const pageAt = async (offset: number): Promise<unknown[]> => {
      const page = { offset, size: 2 };
      const { rows, total } = await database.read((sql) => selectPage(sql, list, page));
      return [...rows.map((row) => Object.values(row)), total];
    };
    assert.deepEqual(await pageAt(0), [['d'], ['c'], 3]);
    assert.deepEqual(await pageAt(2), [['b'], 3]);
    assert.deepEqual(await pageAt(4), [3]);
  });

  it('refuses a second row with the same key, and says so by its code', async () => {
    await insert('one');
    await assert.rejects(insert('one'), uniqueViolation);
    assert.equal(uniqueViolation(new Error('unique')), false);
    assert.equal(uniqueViolation(undefined), false);
  });

  it('distinguishes other broken constraints from a duplicate row', async () => {
    const nothing = database.write((sql) => sql.run("insert into things (name) values ('a')"));
    await assert.rejects(nothing, (error) => !uniqueViolation(error));
  });

  it('refuses a row that refers to none, and says so by its code', async () => {
    await database.write((sql) =>
      sql.run('create table parts (thing text not null references things (name))'),
    );
    const orphan = database.write((sql) => sql.run("insert into parts (thing) values ('gone')"));
    await assert.rejects(orphan, foreignKeyViolation);
    await insert('one');
    await assert.rejects(insert('one'), (error) => !foreignKeyViolation(error));
  });

  it('undoes all of a write that throws, and only that', async () => {
    const failing = database.write(async (sql) => {
      await sql.run("insert into things (name, number) values ('lost', 1)");
      throw new Error('no');
    });
    const results = await Promise.allSettled([insert('before'), failing, insert('after')]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await names(), ['after', 'before']);
  });

  it('undoes a write whose statement failed, even if it swallows the error', async () => {
    await insert('one');
    const swallowing = database.write(async (sql) => {
      await sql.run("insert into things (name, number) values ('two', 2)");
      await sql.run("insert into things (name, number) values ('one', 1)").catch(() => undefined);
    });
    await assert.rejects(swallowing, uniqueViolation);
    assert.deepEqual(await names(), ['one']);
  });

  it('runs no statement of a write that has ended', async () => {
    const escaped = await database.write(async (sql) => [sql]);
    const [sql] = escaped;
    assert.ok(sql);
    await assert.rejects(sql.run("insert into things (name, number) values ('late', 1)"), /ended/);
    assert.deepEqual(await names(), []);
  });

  it('refuses to write while reading', async () => {
    const writing = database.read((sql) => sql.run("insert into things values ('a', 1)"));
    await assert.rejects(writing);
    assert.deepEqual(await names(), []);
  });

  it('refuses work once it is closed', async () => {
    await database.close();
    await assert.rejects(insert('late'), /closed/);
    await assert.rejects(names(), /closed/);
  });

  it('refuses an integer that a number cannot hold', async () => {
    const asking = database.read((sql) => sql.get('select 9007199254740993 as big'));
    await assert.rejects(asking, /9007199254740993/);
  });

  it('answers a write only when every reader sees it', async () => {
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await insert(`thing-${index}`);
        const row = await database.read((sql) =>
          sql.get('select name from things where name = $1', `thing-${index}`),
        );
        assert.ok(row);
      }),
    );
  });

  it('hides from readers what is not committed', async () => {
    const seen: number[] = [];
    await database.write(async (sql) => {
      await sql.run("insert into things (name, number) values ('one', 1)");
      seen.push((await names()).length);
      await sql.run("insert into things (name, number) values ('two', 2)");
    });
    assert.deepEqual(seen, [0]);
    assert.deepEqual(await names(), ['one', 'two']);
  });

  it('answers every statement of a read from one committed state', async () => {
    await insert('one');
    const counts = await database.read(async (sql) => {
      const count = async (): Promise<number> => (await sql.all('select name from things')).length;
      const before = await count();
      await insert('two');
      await database.write((other) => other.run("delete from things where name = 'one'"));
      return [before, await count()];
    });
    assert.deepEqual(counts, [1, 1]);
    assert.deepEqual(await names(), ['two']);
  });

  it('gives a read that begins after a commit that commit, whatever is being read already', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: started, resolve: begin } = Promise.withResolvers<void>();
    const older = database.read(async (sql) => {
      await sql.all('select name from things');
      begin();
      await released;
      return sql.all('select name from things');
    });
    await started;
    await insert('one');
    const newer = names();
    release();
    assert.deepEqual(await newer, ['one']);
    assert.deepEqual(await older, []);
  });

  it('goes on reading after a read that failed', async () => {
    const failing = database.read(async (sql) => {
      await sql.get('select name from things');
      await sql.get('select nothing from nowhere').catch(() => undefined);
      return sql.get('select name from things');
    });
    const next = names();
    await assert.rejects(failing, /nowhere|nothing/);
    assert.deepEqual(await next, []);
  });

  it('runs no statement of a read that has ended', async () => {
    const [sql] = await database.read(async (own) => [own]);
    assert.ok(sql);
    await assert.rejects(sql.get('select 1'), /ended/);
  });

  it('reads one statement at less cost, and refuses a second', async () => {
    await insert('one');
    const row = await database.readOne((sql) => sql.get('select name from things'));
    assert.deepEqual({ ...row }, { name: 'one' });
    const twice = database.readOne(async (sql) => {
      await sql.get('select name from things');
      return sql.get('select name from things');
    });
    await assert.rejects(twice, /one statement/);
    await assert.rejects(database.readOne((sql) => sql.run('delete from things')));
    assert.deepEqual(await names(), ['one']);
  });

  it('loses no update among concurrent writers of one row', async () => {
    await insert('counter');
    const numbers = await Promise.all(Array.from({ length: 12 }, increment));
    assert.deepEqual(
      numbers.toSorted((one, other) => one - other),
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
  });

  it('runs the writes of one queue in the order they came', async () => {
    const order: number[] = [];
    const writes = Array.from({ length: 10 }, (_, index) =>
      database.write(
        async (sql) => {
          await sql.run('insert into things (name, number) values ($1, $2)', `${index}`, index);
          order.push(index);
        },
        { queue: 'things' },
      ),
    );
    await Promise.all(writes);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('goes on with a queue after a write that failed', async () => {
    const queue = 'things';
    const failing = database.write(() => Promise.reject(new Error('no')), { queue });
    const next = database.write(() => Promise.resolve('yes'), { queue });
    await assert.rejects(failing, /no/);
    assert.equal(await next, 'yes');
  });

  it('counts the changed rows and gives back what was written', async () => {
    const row = await database.write((sql) =>
      sql.get<{ name: string; number: number }>(
        'insert into things (name, number) values ($1, $2) returning name, number',
        'ünïcode \u{1F431}',
        2 ** 53 - 1,
      ),
    );
    assert.deepEqual({ ...row }, { name: 'ünïcode \u{1F431}', number: 2 ** 53 - 1 });
    assert.equal(await database.write((sql) => sql.run('update things set number = 0')), 1);
    assert.equal(await database.write((sql) => sql.run("delete from things where name = ''")), 0);
  });

  describe('notifies those who listen', () => {
    const channel = 'things';
    let reported: string[][];
    let unlisten: () => void;
    beforeEach(() => {
      reported = [];
    });
    afterEach(() => unlisten());

    const insertAndNotify = (name: string): Promise<void> =>
      database.write(async (sql) => {
        sql.notify(channel);
        sql.notify(channel);
        await sql.run('insert into things (name, number) values ($1, 0)', name);
      });

    it('once a commit, when it can be read, and before the writer is answered', async () => {
      const seen: Promise<string[]>[] = [];
      unlisten = database.listen(channel, () => seen.push(names()));
      await insertAndNotify('one');
      assert.equal(seen.length, 1);
      assert.deepEqual(await seen[0], ['one']);
      await insert('unnoticed');
      assert.equal(seen.length, 1);
    });

    it('not of what was undone, and not once they no longer listen', async () => {
      unlisten = database.listen(channel, () => reported.push([]));
      await insert('one');
      await assert.rejects(insertAndNotify('one'));
      assert.deepEqual(reported, []);
      unlisten();
      await insertAndNotify('two');
      assert.deepEqual(reported, []);
    });

    it('of no other channel, and never from a read', async () => {
      unlisten = database.listen('others', () => reported.push([]));
      await insertAndNotify('one');
      assert.deepEqual(reported, []);
      const refused = /A read commits nothing/;
      await assert.rejects(
        database.read(async (sql) => sql.notify(channel)),
        refused,
      );
      await assert.rejects(
        database.readOne(async (sql) => sql.notify(channel)),
        refused,
      );
    });
  });

  it('answers counts, sums and comparisons as numbers, and nothing as undefined', async () => {
    await insert('one', 1);
    await insert('two', 2);
    const row = await database.read((sql) =>
      sql.get('select count(*) as rows, sum(number) as total, 1 = 1 as truth from things'),
    );
    assert.deepEqual({ ...row }, { rows: 2, total: 3, truth: 1 });
    const missing = await database.read((sql) => sql.get("select 1 from things where name = 'x'"));
    assert.equal(missing, undefined);
  });

  it('takes a text with a NUL, which only one engine could hold, for one with U+FFFD', async () => {
    const named = (name: string): Promise<object | undefined> =>
      database.read((sql) => sql.get('select name from things where name = $1', name));
    assert.equal(await named('a\0b'), undefined);
    await insert('a\0b');
    assert.deepEqual(await names(), ['a\uFFFDb']);
  });

  it('sorts the text of a migrated column by its bytes', async () => {
    const logins = ['b', 'A', 'a-b', 'ab', 'B'];
    await database.write(async (sql) => {
      for (const login of logins) {
        await sql.run(
          `insert into accounts (kind, login, login_key, created_at, updated_at)
           values ('user', $1, $2, 0, 0)`,
          login,
          `key-${login}`,
        );
      }
    });
    const rows = await database.read((sql) =>
      sql.all<{ login: string }>('select login from accounts order by login'),
    );
    assert.deepEqual(
      rows.map((row) => row.login),
      ['A', 'B', 'a-b', 'ab', 'b'],
    );
  });
});
