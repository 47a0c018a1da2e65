import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Sql as Client } from 'postgres';

import { createPostgresConnections, type SendStatement } from './postgres-connections.ts';
import { inTurn } from './queue-lock.ts';
import { DatabaseUnavailableError } from '../storage-failure.ts';

describe('a transaction in its turn', () => {
  const withCode = (code: string): Error => Object.assign(new Error(code), { code });

  /** Connections whose statement that begins with a text fails, and the clients that were ended. */
  function connectionsFailingAt(text: string, code: string) {
    const sent: string[] = [];
    let opened = 0;
    let ended = 0;
    const connections = createPostgresConnections({
      max: 1,
      timeouts: {
        statementMilliseconds: Infinity,
        acquireMilliseconds: Infinity,
        endMilliseconds: Infinity,
      },
      open() {
        opened += 1;
        const client = {
          async unsafe(statement: string) {
            sent.push(statement);
            if (statement.startsWith(text)) throw withCode(code);
            return [];
          },
          async end() {
            ended += 1;
          },
        };
        return {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
          client: client as unknown as Client,
          destroy: () => {},
        };
      },
    });
    return { connections, sent, counts: () => ({ opened, ended }) };
  }

  const queue = { name: 'a', idleMilliseconds: 1000 };
  const work = async (send: SendStatement): Promise<string> => {
    await send('begin');
    await send('insert');
    await send('commit');
    return 'done';
  };

  for (const code of ['EPIPE', 'ECONNRESET', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', '57P01']) {
    for (const statement of ['select pg_advisory_lock', 'begin', 'insert', 'commit']) {
      it(`reports that the database is unavailable when "${statement}" fails with ${code}`, async () => {
        const { connections, sent, counts } = connectionsFailingAt(statement, code);
        await assert.rejects(inTurn(connections, queue, work), DatabaseUnavailableError);
        assert.ok(sent.at(-1)?.startsWith(statement), 'nothing is sent to a lost connection');
        assert.deepEqual(counts(), { opened: 1, ended: 1 });
        await connections.end();
      });
    }
  }

  it('passes on what is no failure of the connection, and ends the lock', async () => {
    const { connections, sent, counts } = connectionsFailingAt('insert', '23505');
    await assert.rejects(inTurn(connections, queue, work), { code: '23505' });
    assert.match(sent.at(-1) ?? '', /^select pg_advisory_unlock_all\(\)/);
    assert.deepEqual(counts(), { opened: 1, ended: 0 });
    await connections.end();
  });

  it('ends the lock when another connection was lost', async () => {
    const { connections, sent, counts } = connectionsFailingAt('nothing', 'EPIPE');
    const lost = new DatabaseUnavailableError(withCode('EPIPE'));
    await assert.rejects(
      inTurn(connections, queue, () => Promise.reject(lost)),
      lost,
    );
    await connections.use(() => Promise.resolve());
    assert.match(sent.at(-1) ?? '', /^select pg_advisory_unlock_all\(\)/);
    assert.deepEqual(counts(), { opened: 1, ended: 0 });
    await connections.end();
  });

  it('has happened although its lock does not end, and its connection is dropped', async () => {
    const { connections, counts } = connectionsFailingAt('select pg_advisory_unlock_all', 'EPIPE');
    assert.equal(await inTurn(connections, queue, work), 'done');
    await connections.end();
    assert.deepEqual(counts(), { opened: 1, ended: 1 });
  });
});
