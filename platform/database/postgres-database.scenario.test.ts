import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';

import postgres from 'postgres';

import { type Database, readCommitted, type Sql, type WriteOptions } from './database.ts';
import type { Migration } from './migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import { openPostgres, type PostgresLimits } from './postgres-database.ts';
import { openPostgresClient } from './postgres-client.ts';
import { createPostgresConnections } from './postgres-connections.ts';
import { postgresAddress } from './postgres-options.ts';
import { inTurn } from './queue-lock.ts';
import { restorePostgres } from './postgres-restore.ts';
import { openPostgresSnapshot } from './postgres-snapshot.ts';
import { systemRandom } from '../random.ts';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.ts';
import { DatabaseUnavailableError } from '../storage-failure.ts';
import { testPostgresUrl } from '../testing/test-postgres.ts';

const migration = (name: string, text: string): Migration => ({
  name,
  text,
  checksum: text,
  replaces: [],
  expands: true,
});
const isolationOf = ({ isolation }: WriteOptions): string => isolation ?? 'serializable';
const things = migration('0001-things', 'create table things (id {{id}}, number {{bigint}});');

describe('an address of PostgreSQL', () => {
  it('is refused when it is not understood', () => {
    assert.throws(() => postgresAddress('postgres://hob@localhost:port/hob'), OperatorError);
  });

  it('is named without its password when no server responds', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    const { port } = address;
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(
      openPostgres(`postgres://hob:hunter2@127.0.0.1:${port}/hob`, []),
      (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(
          error.message,
          new RegExp(`Cannot use the database postgres://hob@127.0.0.1:${port}/hob`),
        );
        return true;
      },
    );
  });

  for (const mode of ['closing', 'silent'] as const) {
    it(`is reported when connections are accepted and the server is ${mode}`, async () => {
      const proxy = await startTcpProxy({ port: 0 }, mode);
      try {
        const url = `postgres://hob@127.0.0.1:${proxy.port}/hob`;
        const saved = { engine: 'postgres', tables: [], sequences: {} } as const;
        for (const use of [
          () => openPostgres(url, []),
          () => openPostgresSnapshot(url),
          () => restorePostgres(url, [], saved, '/'),
        ]) {
          await assert.rejects(use, (error) => {
            assert.ok(error instanceof OperatorError, String(error));
            assert.match(error.message, /^Cannot use the database .*[^.]\.$/);
            return true;
          });
        }
      } finally {
        await proxy.close();
      }
    });
  }

  it('may name a Unix socket', () => {
    const { url, options } = postgresAddress('postgres://hob@localhost:5433/hob?host=/run/pg');
    assert.equal(url, 'postgres://hob@localhost:5433/hob');
    assert.equal(options.path, '/run/pg/.s.PGSQL.5433');
  });
});

describe('the PostgreSQL database', { skip: testPostgresUrl === undefined }, () => {
  const schema = `hob_test_${systemRandom.token().slice(0, 16)}`;
  const address = postgresAddress(testPostgresUrl ?? 'postgres://nobody@localhost/none');
  const open: Database[] = [];
  let url: string;

  const administer = async (statement: string): Promise<number> => {
    const client = postgres(address.url, { ...address.options, max: 1 });
    const { count } = await client.unsafe(statement);
    await client.end();
    return count;
  };
  /** Waits for a connection of which this is true, and ends it. */
  const endConnections = async (condition: string): Promise<void> => {
    const statement = `select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database() and (${condition})`;
    while ((await administer(statement)) === 0);
  };

  beforeEach(async () => {
    const inSchema = new URL(testPostgresUrl ?? '');
    inSchema.searchParams.set('search_path', schema);
    url = inSchema.href;
    await administer(`create schema ${schema}`);
  });
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close();
    await administer(`drop schema ${schema} cascade`);
  });

  const openNew = async (
    migrations: readonly Migration[] = [things],
    limits: Partial<PostgresLimits> = {},
  ): Promise<Database> => {
    const changed = { connectionsMax: 4, ...limits };
    const database = await openPostgres(url, migrations, undefined, changed);
    open.push(database);
    return database;
  };

  /** Whether a connection has waited for a lock for so long. */
  const isWaiting = async (database: Database, milliseconds = 0): Promise<boolean> => {
    const statement = `select 1 as found from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and clock_timestamp() - query_start >= interval '${milliseconds} milliseconds'`;
    return (await database.readOne((sql) => sql.get(statement))) !== undefined;
  };

  it('refuses a database of a newer program', async () => {
    await openNew([things, migration('0002-more', 'create table more (id {{id}});')]);
    await assert.rejects(openNew(), /newer version.*0002-more.*0001-things/);
  });

  it('runs writes of a queue one after the other in all processes that share it', async () => {
    const databases = [
      await openNew([things], { sharesQueues: true }),
      await openNew([things], { sharesQueues: true }),
    ];
    const [first] = databases;
    await first?.write((sql) => sql.run('insert into things (number) values (0)'));
    const rounds = 20;
    let attempts = 0;
    const count = async (sql: Sql): Promise<void> => {
      attempts += 1;
      const row = await sql.get<{ number: number }>('select number from things');
      await sql.run('update things set number = $1', (row?.number ?? 0) + 1);
    };
    await Promise.all(
      databases.flatMap((database) =>
        Array.from({ length: rounds }, () => database.write(count, { queue: 'things' })),
      ),
    );
    const row = await first?.read((sql) => sql.get('select number from things'));
    assert.deepEqual(row, { number: 2 * rounds });
    assert.equal(attempts, 2 * rounds, 'none was tried again');
  });

  it('gives a queue on when a write of it fails', async () => {
    const one = await openNew([things], { sharesQueues: true });
    const other = await openNew([things], { sharesQueues: true });
    const failing = one.write(
      async () => {
        throw new Error('It fails.');
      },
      { queue: 'things' },
    );
    await assert.rejects(failing, /It fails/);
    await other.write((sql) => sql.run('insert into things (number) values (1)'), {
      queue: 'things',
    });
  });

  it('takes a queue from a process that stands still between two transactions', async () => {
    const database = await openNew([things], { sharesQueues: true });
    const never = Infinity;
    const connections = createPostgresConnections({
      max: 1,
      timeouts: { statementMilliseconds: never, acquireMilliseconds: never, endMilliseconds: 0 },
      open: (onclose) => openPostgresClient(address.url, { ...address.options }, onclose),
    });
    try {
      const locked = Promise.withResolvers<void>();
      const still = inTurn(connections, { name: 'things', idleMilliseconds: 200 }, async () => {
        locked.resolve();
        await new Promise(() => {});
      });
      const ended = assert.rejects(still, DatabaseUnavailableError);
      await locked.promise;
      const insert = (sql: Sql): Promise<number> =>
        sql.run('insert into things (number) values (1)');
      assert.equal(await database.write(insert, { queue: 'things' }), 1);
      await ended;
    } finally {
      await connections.end();
    }
  });

  it('leaves no limit on a connection after its turn', async () => {
    const database = await openNew([things], { sharesQueues: true, connectionsMax: 1 });
    const queue = { queue: 'things' };
    const timeoutOf = (sql: Sql): Promise<unknown> =>
      sql.get("select current_setting('idle_session_timeout') as timeout");
    assert.deepEqual(await database.write(timeoutOf, queue), { timeout: '10s' });
    assert.deepEqual(await database.write(timeoutOf), { timeout: '0' });
  });

  it('is frozen for a backup although writers lock its tables in another order', async () => {
    const more = migration('0002-more', 'create table more (id {{id}}, number {{bigint}});');
    const [database, other] = [await openNew([things, more]), await openNew([things, more])];
    const snapshot = await openPostgresSnapshot(url);
    try {
      let freezing: Promise<unknown> | undefined;
      await database.write(async (sql) => {
        await sql.run('insert into more (number) values (1)');
        if (!freezing) {
          freezing = snapshot.freeze(['things', 'more'], (frozen) =>
            frozen.get('select number from more'),
          );
          // PostgreSQL ends the one that has waited for a second first.
          while (!(await isWaiting(other, 500)));
        }
        await sql.run('insert into things (number) values (1)');
      });
      assert.deepEqual(await freezing, { number: 1 });
    } finally {
      await snapshot.close();
    }
  });

  it('is not frozen for longer than a backup may take', async () => {
    const database = await openNew();
    const snapshot = await openPostgresSnapshot(url, 200);
    try {
      const resumed = Promise.withResolvers<void>();
      const frozen = Promise.withResolvers<void>();
      const freezing = snapshot.freeze(['things'], async () => {
        frozen.resolve();
        await resumed.promise;
      });
      const failed = assert.rejects(freezing, /^OperatorError: Writers had waited for the backup/);
      await frozen.promise;
      await database.write((sql) => sql.run('insert into things (number) values (1)'));
      await failed;
      // What it did meanwhile ends, and nothing is sent on the connection that is gone.
      resumed.resolve();
      for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
    } finally {
      await snapshot.close();
    }
  });

  it('ends a statement that takes too long', async () => {
    const database = await openNew([things], { statementMilliseconds: 50 });
    await assert.rejects(
      database.read((sql) => sql.get('select pg_sleep(5)')),
      { code: '57014' },
    );
  });

  it('gives up a write function that waits for something other than SQL', async () => {
    const database = await openNew([things], { statementMilliseconds: 1000 });
    const hanging = database.write(async (sql) => {
      await sql.run('insert into things (number) values (1)');
      await new Promise(() => {});
    });
    await assert.rejects(hanging);
    const row = await database.read((sql) => sql.get('select count(*) as rows from things'));
    assert.deepEqual(row, { rows: 0 });
  });

  it('goes on after its connections were closed, in the middle of transactions as well', async () => {
    const database = await openNew();
    for (let round = 1; round <= 5; round += 1) {
      const closed = Promise.withResolvers<void>();
      const started = [1, 2, 3].map(() => Promise.withResolvers<void>());
      const writes = started.map(({ resolve }) =>
        database.write(async (sql) => {
          await sql.run('insert into things (number) values (1)');
          resolve();
          await closed.promise;
          await sql.run('insert into things (number) values (1)');
        }),
      );
      const failed = Promise.all(
        writes.map((write) => assert.rejects(write, DatabaseUnavailableError)),
      );
      await Promise.all(started.map(({ promise }) => promise));
      await administer(
        `select pg_terminate_backend(pid) from pg_locks where relation = '${schema}.things'::regclass`,
      );
      await failed;
      closed.resolve();
      await database.write((sql) => sql.run('insert into things (number) values (2)'));
      const row = await database.read((sql) => sql.get('select count(*) as rows from things'));
      assert.deepEqual(row, { rows: round });
    }
  });

  it('replaces a connection on which it cannot write', async () => {
    const database = await openNew([things], { connectionsMax: 1 });
    const insert = (): Promise<number> =>
      database.write((sql) => sql.run('insert into things (number) values (1)'));
    await database.write((sql) => sql.run('set session characteristics as transaction read only'));
    await assert.rejects(insert(), (error) => {
      assert.ok(error instanceof DatabaseUnavailableError, String(error));
      return true;
    });
    assert.equal(await insert(), 1);
  });

  for (const { during, seconds } of [
    { during: 'at a statement', seconds: 60 },
    { during: 'between two statements', seconds: 0 },
  ]) {
    it(`refuses a write of a queue whose connection is lost ${during}, and goes on`, async () => {
      const database = await openNew([things], { sharesQueues: true });
      const write = database.write(
        async (sql) => {
          await sql.run('insert into things (number) values (1)');
          const waiting = sql.get(`select pg_sleep(${seconds}) as "${schema}"`);
          if (seconds === 0) await waiting;
          await Promise.all([waiting, endConnections(`query like '%as "${schema}"%'`)]);
          await sql.run('insert into things (number) values (2)');
        },
        { queue: 'things' },
      );
      await assert.rejects(write, DatabaseUnavailableError);
      await database.write((sql) => sql.run('insert into things (number) values (3)'), {
        queue: 'things',
      });
      const rows = await database.read((sql) => sql.all('select number from things'));
      assert.deepEqual(rows, [{ number: 3 }]);
    });
  }

  it('refuses a write of a queue whose connection is lost while it waits for the queue', async () => {
    const one = await openNew([things], { sharesQueues: true });
    const other = await openNew([things], { sharesQueues: true });
    const first = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const holding = one.write(
      async () => {
        started.resolve();
        await first.promise;
      },
      { queue: 'things' },
    );
    await started.promise;
    const waiting = other.write((sql) => sql.run('insert into things (number) values (1)'), {
      queue: 'things',
    });
    const refused = assert.rejects(waiting, DatabaseUnavailableError);
    await endConnections(`wait_event_type = 'Lock' and query like '%pg_advisory_lock(%'`);
    await refused;
    first.resolve();
    await holding;
  });

  describe('behind a proxy', () => {
    let proxy: TcpProxy;
    let database: Database;

    beforeEach(async () => {
      const { hostname, port } = new URL(url);
      const { path } = address.options;
      proxy = await startTcpProxy(
        path === undefined ? { host: hostname, port: Number(port || 5432) } : { path },
      );
      const behind = new URL(url);
      behind.searchParams.delete('host');
      // Of a URL whose scheme it does not know, the parser sets both only at once.
      behind.host = `127.0.0.1:${proxy.port}`;
      url = behind.href;
      database = await openNew([things], { timeouts });
    });
    afterEach(() => proxy.close());

    // Long enough for a server that does answer, on a busy machine.
    const timeouts = {
      statementMilliseconds: 5000,
      acquireMilliseconds: 60_000,
      endMilliseconds: 1500,
    };

    const addThing = (): Promise<number> =>
      database.write((sql) => sql.run('insert into things (number) values (1)'));
    const countThings = (): Promise<object | undefined> =>
      database.read((sql) => sql.get('select count(*) as rows from things'));

    it('that closes its connections refuses, ends, and goes on when the proxy does', async () => {
      await addThing();
      proxy.set('closing');
      await assert.rejects(addThing(), DatabaseUnavailableError);
      await assert.rejects(addThing(), DatabaseUnavailableError);
      await assert.rejects(countThings(), DatabaseUnavailableError);
      proxy.set('forwarding');
      await addThing();
      assert.deepEqual(await countThings(), { rows: 2 });
      proxy.set('closing');
      const late = [addThing(), countThings()].map((work) =>
        assert.rejects(work, DatabaseUnavailableError),
      );
      await database.close();
      await Promise.all(late);
    });

    it('that goes silent refuses, those that wait as well, and goes on when the proxy does', async () => {
      await addThing();
      await countThings();
      proxy.set('silent');
      // More than there are connections.
      const refused = Array.from({ length: 6 }, () => [addThing(), countThings()]).flat();
      const outcomes = await Promise.allSettled(refused);
      for (const outcome of outcomes) {
        assert.ok(outcome.status === 'rejected');
        assert.ok(outcome.reason instanceof DatabaseUnavailableError, String(outcome.reason));
      }
      proxy.set('forwarding');
      await addThing();
      assert.deepEqual(await countThings(), { rows: 2 });
    });

    it('that goes silent before a commit is answered leaves its outcome unknown, and does it once', async () => {
      let runs = 0;
      const write = database.write(async (sql) => {
        runs += 1;
        await sql.run('insert into things (number) values (1)');
        proxy.set('silent');
      });
      await assert.rejects(write, DatabaseUnavailableError);
      assert.equal(runs, 1);
      proxy.set('forwarding');
      // The commit may come to the server now, or never.
      const counted = await countThings();
      assert.ok([0, 1].includes(Number(Object(counted).rows)), JSON.stringify(counted));
      assert.equal(runs, 1);
    });

    it('that closes a connection after a commit of a queue fails neither the write nor the next ones', async () => {
      const sharing = await openNew([things], { timeouts, sharesQueues: true });
      const add = (): Promise<number> =>
        sharing.write((sql) => sql.run('insert into things (number) values (1)'), {
          queue: 'things',
        });
      proxy.closeBefore('pg_advisory_unlock_all');
      await add();
      assert.deepEqual(await countThings(), { rows: 1 });
      await add();
      assert.deepEqual(await countThings(), { rows: 2 });
    });

    it('that closes a connection before a commit of a queue leaves its outcome unknown', async () => {
      const sharing = await openNew([things], { timeouts, sharesQueues: true });
      proxy.closeBefore('commit');
      const write = sharing.write((sql) => sql.run('insert into things (number) values (1)'), {
        queue: 'things',
      });
      await assert.rejects(write, DatabaseUnavailableError);
    });

    it('that goes silent does not keep the database from closing', async () => {
      await addThing();
      proxy.set('silent');
      const late = [addThing(), countThings()].map((work) =>
        assert.rejects(work, DatabaseUnavailableError),
      );
      await database.close();
      await Promise.all(late);
    });
  });

  it('migrates once when several processes start together', async () => {
    const databases = await Promise.all([openNew(), openNew(), openNew()]);
    for (const database of databases) {
      const rows = await database.read((sql) => sql.all('select name from schema_migrations'));
      assert.deepEqual(rows, [{ name: '0001-things' }]);
    }
  });

  it('tries a write again that collided with one of another process', async () => {
    const [one, two] = await Promise.all([openNew(), openNew()]);
    let attempts = 0;
    const addCount = (database: Database): Promise<number> =>
      database.write(async (sql) => {
        attempts += 1;
        const row = await sql.get<{ rows: number }>('select count(*) as rows from things');
        return sql.run('insert into things (number) values ($1)', row?.rows ?? 0);
      });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => addCount(index % 2 === 0 ? one : two)),
    );
    const rows = await one.read((sql) =>
      sql.all<{ number: number }>('select number from things order by number'),
    );
    assert.deepEqual(
      rows.map((row) => row.number),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    assert.ok(attempts > 10);
  });

  for (const { options, attempts } of [
    { options: {}, attempts: 3 },
    { options: readCommitted, attempts: 2 },
    { options: { isolation: 'repeatable read' }, attempts: 3 },
  ] satisfies readonly { options: WriteOptions; attempts: number }[]) {
    const isolation = isolationOf(options);
    it(`makes ${attempts} attempts at two ${isolation} writes of one row`, async () => {
      const [one, two] = await Promise.all([openNew(), openNew()]);
      await one.write((sql) => sql.run('insert into things (number) values (0)'));
      const locked = Promise.withResolvers<void>();
      let made = 0;
      const first = one.write(async (sql) => {
        made += 1;
        await sql.run('update things set number = number + 1');
        locked.resolve();
        while (!(await isWaiting(two)));
      }, options);
      await locked.promise;
      const second = two.write(async (sql) => {
        made += 1;
        await sql.run('update things set number = number + 1');
      }, options);
      await Promise.all([first, second]);
      const row = await one.read((sql) => sql.get<{ number: number }>('select number from things'));
      assert.deepEqual([row?.number, made], [2, attempts]);
    });
  }

  for (const { options, attempts } of [
    { options: {}, attempts: 3 },
    { options: { isolation: 'repeatable read' }, attempts: 2 },
  ] satisfies readonly { options: WriteOptions; attempts: number }[]) {
    const isolation = isolationOf(options);
    it(`makes ${attempts} attempts at two ${isolation} writes of unrelated rows on one page`, async () => {
      const database = await openNew();
      const bothHaveRead = Promise.withResolvers<void>();
      let made = 0;
      const add = (number: number) =>
        database.write(async (sql) => {
          made += 1;
          await sql.get('select number from things where number = $1', number);
          if (made === 2) bothHaveRead.resolve();
          await bothHaveRead.promise;
          await sql.run('insert into things (number) values ($1)', number);
        }, options);
      await Promise.all([add(1), add(2)]);
      assert.equal(made, attempts);
    });
  }
});
