import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, describe, it } from 'node:test';

import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { openSqlite } from './sqlite-database.ts';

async function rowsIn(database: Database): Promise<unknown> {
  const row = await database.read((sql) => sql.get('select count(*) as rows from things'));
  return row?.['rows'];
}

describe('the SQLite database', () => {
  let folder: string;
  let count = 0;
  const open: Database[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-sqlite-'));
  });
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const openFresh = async (giveUpMilliseconds?: number): Promise<[Database, string]> => {
    count += 1;
    const path = join(folder, `${count}.sqlite`);
    const database = await openSqlite(path, [], undefined, giveUpMilliseconds);
    open.push(database);
    await database.write((sql) => sql.run('create table things (name text primary key)'));
    return [database, path];
  };

  it('refuses a URL it does not understand', async () => {
    for (const url of ['mysql://localhost/x', '', 'sqlite:', ':memory:']) {
      await assert.rejects(openDatabase(url, { migrationsFolder: folder }), /Invalid database/);
    }
  });

  it('says which file cannot be opened', async () => {
    const path = join(folder, 'absent', 'x.sqlite');
    await assert.rejects(openSqlite(path, []), new RegExp(`Cannot open the database ${path}`));
  });

  it('gives up a write function that waits for something other than SQL', async () => {
    const [database] = await openFresh(30);
    const hanging = database.write(async (sql) => {
      await sql.run("insert into things values ('hanging')");
      await new Promise(() => {});
    });
    const next = database.write((sql) => sql.run("insert into things values ('next')"));
    await assert.rejects(hanging, /longer than 30 ms/);
    assert.equal(await next, 1);
    assert.equal(await rowsIn(database), 1);
  });

  it('ends a read function that waits for something other than SQL, once another read waits for it', async () => {
    const [database] = await openFresh(30);
    const hanging = database.read(async (sql) => {
      await sql.get('select count(*) from things');
      await new Promise(() => {});
    });
    const next = rowsIn(database);
    await assert.rejects(hanging, /longer than 30 ms/);
    assert.equal(await next, 0);
  });

  it('answers each read from one state, and those that begin after a write with it', async () => {
    const [database] = await openFresh();
    const counting = 'select count(*) as rows from things';
    const goOn = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const early = database.read(async (sql) => {
      seen.push((await sql.get(counting))?.['rows']);
      begun.resolve();
      await goOn.promise;
      seen.push((await sql.get(counting))?.['rows']);
    });
    await begun.promise;
    await database.write((sql) => sql.run("insert into things values ('a')"));
    // Both wait for the first, whose transaction still has the old state.
    const [late, one] = [
      rowsIn(database),
      database.readOne((sql) => sql.get<{ rows: number }>(counting)),
    ];
    goOn.resolve();
    await early;
    assert.deepEqual(seen, [0, 0]);
    assert.equal(await late, 1);
    assert.equal((await one)?.rows, 1);
  });

  it('lets a read that fails end alone', async () => {
    const [database] = await openFresh();
    const results = await Promise.allSettled([
      rowsIn(database),
      database.read((sql) => sql.get('select * from absent')),
      rowsIn(database),
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('rejects every write of a group that cannot be committed', async () => {
    const [database] = await openFresh();
    await database.write(async (sql) => {
      await sql.run('create table parents (id integer primary key)');
      await sql.run(
        'create table children (parent integer references parents (id) deferrable initially deferred)',
      );
    });
    const results = await Promise.allSettled([
      database.write((sql) => sql.run("insert into things values ('a')")),
      database.write((sql) => sql.run('insert into children values (7)')),
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected'],
    );
    assert.equal(await rowsIn(database), 0);
    assert.equal(await database.write((sql) => sql.run("insert into things values ('b')")), 1);
  });

  it('commits the writes of one turn together', async () => {
    const [database, path] = await openFresh();
    const other = new DatabaseSync(path);
    const seen: unknown[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        database.write(async (sql) => {
          await sql.run('insert into things values ($1)', name);
          seen.push(other.prepare('select count(*) as rows from things').get()?.['rows']);
        }),
      ),
    );
    other.close();
    assert.deepEqual(seen, [0, 0, 0]);
    assert.equal(await rowsIn(database), 3);
  });

  it('waits for another process that holds the lock, without blocking', async () => {
    const [database, path] = await openFresh();
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    other.exec("insert into things values ('other')");
    const waiting = database.write((sql) => sql.run("insert into things values ('mine')"));
    await database.read((sql) => sql.get('select 1'));
    setTimeout(() => other.exec('commit'), 40);
    assert.equal(await waiting, 1);
    other.close();
    assert.equal(await rowsIn(database), 2);
  });

  it('lets two open databases write to one file', async () => {
    const [one, path] = await openFresh();
    const two = await openSqlite(path, []);
    open.push(two);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : two).write((sql) =>
          sql.run('insert into things values ($1)', String(index)),
        ),
      ),
    );
    assert.equal(await rowsIn(one), 40);
    assert.equal(await rowsIn(two), 40);
  });

  it('finishes what was asked before it closes', async () => {
    const [database, path] = await openFresh();
    const writes = Array.from({ length: 600 }, (_, index) =>
      database.write((sql) => sql.run('insert into things values ($1)', String(index))),
    );
    await database.close();
    await Promise.all(writes);
    const again = await openSqlite(path, []);
    open.push(again);
    assert.equal(await rowsIn(again), 600);
  });

  it('keeps acknowledged writes durable: full synchronisation, write-ahead log', async () => {
    const [database] = await openFresh();
    const synchronous = await database.write((sql) => sql.get('pragma synchronous'));
    const journal = await database.write((sql) => sql.get('pragma journal_mode'));
    assert.deepEqual([synchronous?.['synchronous'], journal?.['journal_mode']], [2, 'wal']);
  });
});
