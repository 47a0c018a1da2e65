import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Sql as Client } from 'postgres';

import { createPostgresConnections, type SendStatement } from './postgres-connections.ts';
import { DatabaseUnavailableError } from '../storage-failure.ts';

/** As long as an answer takes whose bytes are there: a few turns of the event loop. */
async function someTurns(): Promise<unknown[]> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return [];
}

describe('connections to PostgreSQL', () => {
  const withCode = (code: string): Error => Object.assign(new Error('x'), { code });

  /** Clients whose statements are recorded, and connections that a test closes. */
  function fakeClients({ max = 2, now = (): number => 0, timeouts = {} } = {}) {
    const sent: string[] = [];
    const closers: (() => void)[] = [];
    const ended: number[] = [];
    const connections = createPostgresConnections({
      max,
      now,
      timeouts: {
        statementMilliseconds: Infinity,
        acquireMilliseconds: Infinity,
        endMilliseconds: Infinity,
        ...timeouts,
      },
      open(onclose) {
        const number = closers.push(onclose);
        const client = {
          unsafe: (text: string) => {
            sent.push(`${number} ${text}`);
            if (text === 'slow') return someTurns();
            return text === 'wait' ? new Promise(() => {}) : Promise.resolve([]);
          },
          end: async () => {
            ended.push(number);
          },
        };
        return {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
          client: client as unknown as Client,
          destroy: () => {},
        };
      },
    });
    return { connections, sent, ended, close: (number: number) => closers[number - 1]?.() };
  }

  it('pass on what is no failure of the connection, and are used again', async () => {
    const { connections, sent } = fakeClients();
    for (const error of [withCode('23505'), withCode('40001'), new Error('y')]) {
      await assert.rejects(
        connections.use(() => Promise.reject(error)),
        error,
      );
    }
    await connections.use((send) => send('select 1'));
    assert.deepEqual(sent, ['1 select 1']);
    await connections.end();
  });

  it('are replaced when they fail', async () => {
    const { connections, sent, ended } = fakeClients();
    const codes = [
      'CONNECTION_CLOSED',
      'ECONNREFUSED',
      'EPIPE',
      '57P01',
      '57P03',
      '57P05',
      '25P03',
      '25P04',
      '25006',
      '0A000',
      '53300',
    ];
    const errors = codes.map(withCode);
    for (const error of errors) {
      const failing = connections.use(() => Promise.reject(error));
      await assert.rejects(failing, DatabaseUnavailableError);
    }
    await connections.use((send) => send('select 1'));
    assert.deepEqual(sent, [`${errors.length + 1} select 1`]);
    assert.deepEqual(
      ended,
      errors.map((_, index) => index + 1),
    );
    await connections.end();
  });

  it('fail the work under way when they are closed, and send nothing more', async () => {
    const { connections, sent, close } = fakeClients();
    const closed = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const working = connections.use(async (send) => {
      await send('begin');
      await closed.promise;
      await send('rollback').catch(late.resolve);
    });
    const hanging = connections.use((send) => send('wait'));
    await new Promise((resolve) => setImmediate(resolve));
    close(1);
    close(2);
    await assert.rejects(working, DatabaseUnavailableError);
    await assert.rejects(hanging, DatabaseUnavailableError);
    closed.resolve();
    assert.match(String(await late.promise), /The connection was closed/);
    assert.deepEqual(sent, ['1 begin', '2 wait']);
    await connections.end();
  });

  it('are given to those who wait in the order they came', async () => {
    const { connections, sent } = fakeClients({ max: 1 });
    const first = Promise.withResolvers<void>();
    const works = [
      connections.use(() => first.promise),
      connections.use((send) => send('second')),
      connections.use((send) => send('third')),
    ];
    first.resolve();
    await Promise.all(works);
    assert.deepEqual(sent, ['1 second', '1 third']);
    await connections.end();
  });

  it('refuse those who wait at once when none can be opened', async () => {
    const { connections, close } = fakeClients({ max: 1 });
    const never = (send: SendStatement): Promise<unknown> => send('wait');
    const works = [1, 2, 3].map(() => connections.use(never));
    close(1);
    for (const work of works) await assert.rejects(work, DatabaseUnavailableError);
    await connections.end();
  });

  it('are opened for those who wait when one of several is closed', async () => {
    const { connections, sent, close } = fakeClients({ max: 2 });
    await connections.use((send) => send('first'));
    const held = Promise.withResolvers<void>();
    const working = connections.use(() => held.promise);
    const closed = connections.use((send) => send('wait'));
    const waiting = connections.use((send) => send('third'));
    await new Promise((resolve) => setImmediate(resolve));
    close(2);
    await assert.rejects(closed, DatabaseUnavailableError);
    await waiting;
    assert.deepEqual(sent, ['1 first', '2 wait', '3 third']);
    held.resolve();
    await working;
    await connections.end();
  });

  it('are closed after half an hour, between two works', async () => {
    let now = 0;
    const { connections, sent, ended } = fakeClients({ now: () => now });
    await connections.use(async (send) => {
      now = 31 * 60_000;
      await send('first');
    });
    await connections.use((send) => send('second'));
    assert.deepEqual(sent, ['1 first', '2 second']);
    assert.deepEqual(ended, [1]);
    await connections.end();
  });

  it('are dropped when a statement is not answered in time', async () => {
    const { connections, sent, ended } = fakeClients({ timeouts: { statementMilliseconds: 1 } });
    const seen = Promise.withResolvers<unknown>();
    const working = connections.use((send) => send('wait').catch(seen.resolve));
    await assert.rejects(working, DatabaseUnavailableError);
    assert.ok((await seen.promise) instanceof DatabaseUnavailableError);
    await connections.use((send) => send('select 1'));
    assert.deepEqual(sent, ['1 wait', '2 select 1']);
    assert.deepEqual(ended, [1]);
    await connections.end();
  });

  it('are not dropped because this process stood still', async () => {
    const { connections, sent, ended } = fakeClients({ timeouts: { statementMilliseconds: 50 } });
    const working = connections.use((send) => send('slow'));
    // It is sent, and nothing was read yet.
    while (sent.length === 0) await Promise.resolve();
    await Promise.resolve();
    // As when the process is stopped: nothing is read, and the timeout is over when it goes on.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await working;
    assert.deepEqual(ended, []);
    await connections.end();
  });

  it('are waited for until a time, and not given to who waits no more', async () => {
    const { connections, sent } = fakeClients({ max: 1, timeouts: { acquireMilliseconds: 1 } });
    const held = Promise.withResolvers<void>();
    const holding = connections.use(() => held.promise);
    await assert.rejects(
      connections.use((send) => send('late')),
      (error) =>
        error instanceof DatabaseUnavailableError && /No connection/.test(String(error.cause)),
    );
    held.resolve();
    await holding;
    await connections.use((send) => send('next'));
    assert.deepEqual(sent, ['1 next']);
    await connections.end();
  });

  it('end although the work under way does not, which is logged', async () => {
    const { connections, ended } = fakeClients({ max: 1, timeouts: { endMilliseconds: 1 } });
    const hanging = assert.rejects(
      connections.use(() => new Promise(() => {})),
      DatabaseUnavailableError,
    );
    const waiting = assert.rejects(
      connections.use((send) => send('select 1')),
      DatabaseUnavailableError,
    );
    await connections.end();
    await Promise.all([hanging, waiting]);
    assert.deepEqual(ended, [1]);
  });

  it('end once the work under way is done', async () => {
    const { connections, ended } = fakeClients();
    const held = Promise.withResolvers<void>();
    const working = connections.use(() => held.promise);
    const end = connections.end();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(ended, []);
    held.resolve();
    await Promise.all([working, end]);
    assert.deepEqual(ended, [1]);
  });
});
