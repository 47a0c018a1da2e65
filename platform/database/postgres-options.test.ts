import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';

import postgres from 'postgres';

import { OperatorError } from '../operator-error.ts';
import { openPostgresClient } from './postgres-client.ts';
import { postgresAddress } from './postgres-options.ts';

describe('the URL of a PostgreSQL database', () => {
  it('is refused, without the password, where a host or port is none', () => {
    for (const hosts of ['h:port', 'h1:1,h2:port', 'h1:1,', 'h1:1,,h2:2', 'h1:99999,h2']) {
      assert.throws(
        () => postgresAddress(`postgres://hob:SECRET@${hosts}/hob`),
        (error) => error instanceof OperatorError && !error.message.includes('SECRET'),
        hosts,
      );
    }
  });

  it('shows no secret, wherever it has one', () => {
    const text = 'postgres://hob:SECRET@h1:1,h2:2/hob?password=SECRET&sslpassword=SECRET';
    assert.equal(postgresAddress(text).shown, 'postgres://hob@h1:1,h2:2/hob');
    assert.equal(postgresAddress(text).url, text);
    assert.equal(postgresAddress('postgres://hob:p%40,w@h/hob').shown, 'postgres://hob@h/hob');
  });

  it('is decoded as a whole, or refused', () => {
    const { url, options } = postgresAddress('postgres://us%25er:p%40@h/b%C3%BCch%20er');
    const { user, database } = postgres(url, options).options;
    assert.deepEqual([user, database], ['us%er', 'büch er']);
    for (const text of ['u:SECRET%@h/d', 'u%zz:SECRET@h/d', 'u:SECRET@h/d%', 'u:SECRET@h%zz/d'])
      assert.throws(
        () => postgresAddress(`postgres://${text}`),
        (error) =>
          error instanceof OperatorError &&
          error.message.includes('%25') &&
          !error.message.includes('SECRET'),
        text,
      );
  });

  it('has IPv6 addresses, each with its port', () => {
    const addressesOf = (hosts: string): unknown => {
      const { url, options, shown } = postgresAddress(`postgres://hob:p@${hosts}/hob`);
      assert.equal(shown, `postgres://hob@${hosts}/hob`);
      const { host, port, user, database } = postgres(url, options).options;
      assert.deepEqual([user, database], ['hob', 'hob']);
      return host.map((each, at) => [each, port[at]]);
    };
    assert.deepEqual(addressesOf('[::1]'), [['::1', 5432]]);
    assert.deepEqual(addressesOf('[fe80::1]:5433'), [['fe80::1', 5433]]);
    assert.deepEqual(addressesOf('[::1]:1,db:2,[::2]'), [
      ['::1', 1],
      ['db', 2],
      ['::2', 1],
    ]);
  });

  it('may have several hosts, each with its port, which are tried in turn', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const unused = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    const reached = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      reached.resolve();
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { url, options } = postgresAddress(
      `postgres://hob:p@127.0.0.1:${unused},127.0.0.1:${port}/hob`,
    );
    const opened = openPostgresClient(url, options, () => {
      reached.reject(new Error('It was given up before the second host was tried.'));
    });
    try {
      const refused = assert.rejects(opened.client.unsafe('select 1'));
      await reached.promise;
      await opened.client.end({ timeout: 0 });
      await refused;
    } finally {
      opened.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
