import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { BlockList, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect as connectSecurely } from 'node:tls';

import { makeDevelopmentCertificate } from './development-certificate.ts';
import { type TlsCertificate, readTlsCertificate } from './tls-certificate.ts';
import { listen, type Listener, type ListenOptions } from './listener.ts';

/** As the server's own, but so short that a test can wait for them. */
const limits = {
  keepAliveTimeout: 300,
  connectionsCheckingInterval: 50,
  bytesPerSecondMin: 1000,
  graceMilliseconds: 300,
  sweepMilliseconds: 30,
};

/**
 * For clients that are not to be ended, on a busy machine either: a sweep counts at most twice the time between two of them, so
 * ten in a row would have to see nothing move.
 */
const patient = { ...limits, sweepMilliseconds: 150, graceMilliseconds: 3000 };

const head = 'POST / HTTP/1.1\r\nHost: a.test\r\n';
const megabytes = 50 * 2 ** 20;

describe('clients that are slow', { concurrency: true }, () => {
  let folder: string;
  let certificate: TlsCertificate;
  let authority: Buffer;
  const open: Listener[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-slow-'));
    const files = await makeDevelopmentCertificate(folder);
    certificate = await readTlsCertificate(files);
    authority = await readFile(files.authority);
  });
  after(async () => {
    await Promise.all(
      open.map((listener) => listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 })),
    );
    await rm(folder, { recursive: true, force: true });
  });

  async function serve(handler: RequestListener, options: ListenOptions = {}): Promise<Listener> {
    const listener = await listen('127.0.0.1', 0, { limits, ...options });
    listener.handleWith(handler);
    open.push(listener);
    return listener;
  }

  interface Client {
    readonly socket: Socket;
    /** Everything that came, once the server has ended the connection. */
    readonly ended: Promise<string>;
  }

  function client({ port }: Listener, options: { secure?: boolean; reads?: boolean } = {}): Client {
    const socket = options.secure
      ? connectSecurely({ port, host: '127.0.0.1', servername: 'localhost', ca: authority })
      : connect(port, '127.0.0.1');
    let text = '';
    socket.on('error', () => {});
    if (options.reads !== false) {
      socket.setEncoding('latin1');
      socket.on('data', (chunk: string) => {
        text += chunk;
      });
    }
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    socket.once('close', () => resolve(text));
    return { socket, ended };
  }

  /** Bytes at a steady rate until the connection ends. */
  function trickle(socket: Socket, bytes: string, milliseconds: number): void {
    const timer = setInterval(() => socket.write(bytes), milliseconds);
    socket.once('close', () => clearInterval(timer));
  }

  /** Reads the whole body, then answers. */
  const readAll: RequestListener = (request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end(`took ${bytes}`));
    request.on('error', () => {});
  };

  for (const secure of [false, true]) {
    const over = secure ? 'HTTPS' : 'HTTP';
    const options = (): ListenOptions => (secure ? { certificate } : {});

    it(`a body that trickles is ended with 408, over ${over}`, async () => {
      let closed: Promise<unknown> | undefined;
      const listener = await serve((request, response) => {
        closed = once(request, 'close').catch(() => {});
        readAll(request, response);
      }, options());
      const { socket, ended } = client(listener, { secure });
      socket.write(`${head}Content-Length: 100000\r\n\r\n`);
      trickle(socket, 'x', 20);
      const text = await ended;
      assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      assert.match(text, /\r\nConnection: close\r\n/);
      assert.match(text, /arrived too slowly/);
      await closed;
    });

    it(`a client that does not read its answer is ended, over ${over}`, async () => {
      const { promise: gone, resolve } = Promise.withResolvers<boolean>();
      const listener = await serve((_request, response) => {
        response.on('close', () => resolve(response.writableFinished));
        response.end(Buffer.alloc(megabytes));
      }, options());
      const { socket } = client(listener, { secure, reads: false });
      socket.write(`${head}Content-Length: 0\r\n\r\n`);
      assert.equal(await gone, false);
      socket.destroy();
    });

    it(`a client that reads slowly but steadily gets all of its answer, over ${over}`, async () => {
      const listener = await serve(
        (_request, response) => {
          response.end(Buffer.alloc(megabytes));
        },
        { ...options(), limits: patient },
      );
      const { socket } = client(listener, { secure, reads: false });
      let bytes = 0;
      let pauses = 0;
      const { promise: whole, resolve } = Promise.withResolvers<void>();
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes >= megabytes) resolve();
        // Many pauses, each much shorter than the grace, all of them together longer.
        if (bytes < (pauses * megabytes) / 100) return;
        pauses += 1;
        socket.pause();
        setTimeout(() => socket.resume(), 35);
      });
      socket.write(`${head}Content-Length: 0\r\n\r\n`);
      await whole;
      socket.destroy();
    });
  }

  it('of answers that fill the memory, those are ended whose clients read the least', async () => {
    const unread = new Set<ServerResponse>();
    const { promise: freed, resolve } = Promise.withResolvers<void>();
    const listener = await serve(
      (_request, response) => {
        unread.add(response);
        response.on('close', () => {
          unread.delete(response);
          if (unread.size <= 2) resolve();
        });
        response.end(Buffer.alloc(megabytes));
      },
      { limits: { ...limits, graceMilliseconds: 60_000, unsentBytesMax: 2.5 * megabytes } },
    );
    const clients = Array.from({ length: 6 }, () => client(listener, { reads: false }));
    for (const { socket } of clients) socket.write(`${head}Content-Length: 0\r\n\r\n`);
    await freed;
    assert.equal(unread.size, 2);
    for (const { socket } of clients) socket.destroy();
  });

  it('a body that is slow but steady is taken', async () => {
    const listener = await serve(readAll, { limits: patient });
    const { socket, ended } = client(listener);
    socket.write(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`);
    let left = 120;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) socket.write(`64\r\n${'x'.repeat(100)}\r\n`);
      else {
        clearInterval(timer);
        socket.write('0\r\n\r\n');
      }
    }, 30);
    assert.match(await ended, /took 11900$/);
  });

  it('a body that we ourselves take slowly is not held against its client', async () => {
    const listener = await serve((request: IncomingMessage, response: ServerResponse) => {
      // Far longer than the grace: the client has sent all that it is let send.
      setTimeout(() => readAll(request, response), 1000);
    });
    const { socket, ended } = client(listener);
    const length = 10 * 2 ** 20;
    socket.write(`${head}Connection: close\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(Buffer.alloc(length));
    assert.match(await ended, new RegExp(`took ${length}$`));
  });

  it('an answer that we ourselves make slowly is not held against its client', async () => {
    const listener = await serve((_request, response) => {
      response.write('started');
      setTimeout(() => response.end(', done'), 1000);
    });
    const { socket, ended } = client(listener);
    socket.write(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
    assert.match(await ended, /started\r\n6\r\n, done/);
  });

  it('without a rate no one is ended for it', async () => {
    const listener = await serve(readAll, { limits: { ...limits, bytesPerSecondMin: 0 } });
    const { socket, ended } = client(listener);
    socket.write(`${head}Connection: close\r\nContent-Length: 2\r\n\r\nx`);
    setTimeout(() => socket.write('y'), 1000);
    assert.match(await ended, /took 2$/);
  });

  it('a head that trickles, and a connection that says nothing, are ended', async () => {
    const listener = await serve(readAll, { limits: { ...limits, headersTimeout: 300 } });
    const silent = client(listener);
    const trickling = client(listener);
    trickling.socket.write('GET / HTTP/1.1\r\nHost: a.test\r\nX-A: ');
    trickle(trickling.socket, 'a', 20);
    assert.match(await trickling.ended, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    await silent.ended;
  });

  it('a connection that is not used again is ended', async () => {
    const listener = await serve(readAll);
    const { socket, ended } = client(listener);
    socket.write(`${head}Content-Length: 1\r\n\r\nx`);
    assert.match(await ended, /took 1$/);
  });

  it('what cannot be read in the middle of an answer adds nothing to it', async () => {
    const listener = await serve((request, response) => {
      request.on('error', () => {});
      response.write('started');
      request.resume();
    });
    const { socket, ended } = client(listener);
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    socket.once('data', () => socket.write('no size\r\n'));
    assert.equal((await ended).match(/HTTP\/1\.1/g)?.length, 1);
  });

  describe('in numbers', () => {
    const answerAtOnce: RequestListener = (_request, response) => {
      response.end('served');
    };
    /** Loopback as any other address. */
    const counted = new BlockList();

    async function holding(listener: Listener, count: number): Promise<Client[]> {
      const clients = Array.from({ length: count }, () => client(listener));
      for (const { socket } of clients) {
        socket.write(`${head}Content-Length: 0\r\n\r\n`);
        await once(socket, 'data');
      }
      return clients;
    }

    it('one address has only so many connections, and others go on', async () => {
      const few = { ...limits, keepAliveTimeout: 60_000 };
      const listener = await serve(answerAtOnce, {
        limits: { ...few, sharedAddresses: counted, connectionsPerAddressMax: 3 },
      });
      const held = await holding(listener, 3);
      const refused = await client(listener).ended;
      assert.match(refused, /^HTTP\/1\.1 429 Too Many Requests\r\n/);
      assert.match(refused, /\r\nConnection: close\r\n/);
      const elsewhere = connect({
        port: listener.port,
        host: '127.0.0.1',
        localAddress: '127.0.0.2',
      });
      elsewhere.write(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
      const [first] = await once(elsewhere, 'data');
      assert.match(String(first), /^HTTP\/1\.1 200/);
      held[0]?.socket.destroy();
      await servedAgain(listener);
      for (const { socket } of held) socket.destroy();
    });

    /** The server learns of an end when its turn comes. */
    async function servedAgain(listener: Listener): Promise<void> {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const { socket, ended } = client(listener);
        socket.write(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
        if ((await ended).startsWith('HTTP/1.1 200')) return;
      }
      assert.fail('no connection was accepted again');
    }

    it('loopback is not one client', async () => {
      const listener = await serve(answerAtOnce, {
        limits: { ...limits, keepAliveTimeout: 60_000, connectionsPerAddressMax: 3 },
      });
      const held = await holding(listener, 10);
      for (const { socket } of held) socket.destroy();
    });

    it('all of them together are bounded; idle connections are closed first', async () => {
      const listener = await serve(answerAtOnce, {
        limits: { ...limits, keepAliveTimeout: 60_000, connectionsMax: 5 },
      });
      const held = await holding(listener, 5);
      assert.match(await client(listener).ended, /^HTTP\/1\.1 503 Service Unavailable\r\n/);
      await Promise.all(held.map(({ ended }) => ended));
      await holding(listener, 5);
    });
  });
});
