import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';

import {
  type DevelopmentCertificate,
  makeDevelopmentCertificate,
} from '../../commands/serve/development-certificate.ts';
import type { TransportResponse } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import { httpTransport } from './http-transport.ts';
import { NetworkError } from './network-problem.ts';

const options = { connectTimeout: 5, readTimeout: 5, verifySsl: true, caBundle: undefined };

type Options = Parameters<typeof httpTransport>[0];

describe('HTTP', () => {
  const open: Pick<Server, 'close' | 'address' | 'listen'>[] = [];
  let folder = '';
  let files: DevelopmentCertificate;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-http-'));
    files = await makeDevelopmentCertificate(folder);
  });
  after(() => rm(folder, { recursive: true }));
  afterEach(async () => {
    for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function listening(server: Server): Promise<number> {
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  const serving = (listener: RequestListener): Promise<number> => listening(createServer(listener));

  async function secure(): Promise<number> {
    const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
    return listening(createSecureServer({ cert, key }, (_, response) => response.end('secure')));
  }

  function put(url: string, changes: Partial<Options> = {}, method = 'PUT', body = 'body') {
    const transport = httpTransport({ ...options, ...changes });
    return transport({ method, url, headers: { 'x-given': 'y' }, body: Buffer.from(body) });
  }

  async function problem(exchange: Promise<TransportResponse>): Promise<string> {
    try {
      return `answered ${(await exchange).status}`;
    } catch (error) {
      return error instanceof NetworkError ? error.problem.kind : String(error);
    }
  }

  it('cannot reach a port that no one listens on', async () => {
    const port = await serving(() => undefined);
    await new Promise((resolve) => open.pop()?.close(resolve));
    assert.equal(await problem(put(`http://127.0.0.1:${port}/`)), 'unreachable');
  });

  it('gives up on a server that does not answer', async () => {
    const port = await serving((request) => {
      request.socket.once('close', () => request.destroy());
    });
    assert.equal(
      await problem(put(`http://127.0.0.1:${port}/`, { readTimeout: 0.05 })),
      'read-timeout',
    );
  });

  it('gives up on a response that stops in the middle', async () => {
    const port = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half');
    });
    const url = `http://127.0.0.1:${port}/`;
    assert.equal(await problem(put(url, { readTimeout: 0.05 })), 'read-timeout');
  });

  it('waits for ever for 0', async () => {
    const port = await serving((_, response) => {
      setTimeout(() => response.end('late'), 20);
    });
    const url = `http://127.0.0.1:${port}/`;
    const response = await put(url, { readTimeout: 0, connectTimeout: 0 });
    assert.equal(Buffer.from(response.body).toString(), 'late');
  });

  it('waits longer than a timer can', async (t) => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    t.after(() => process.off('warning', note));
    const port = await serving((_, response) => response.end('now'));
    const long = 10_000_000;
    const url = `http://127.0.0.1:${port}/`;
    assert.equal((await put(url, { connectTimeout: long, readTimeout: long })).status, 200);
    assert.ok(!warnings.includes('TimeoutOverflowWarning'), warnings.join());
  });

  it('reports when the connection is closed before the response', async () => {
    const port = await serving((request) => request.socket.destroy());
    assert.equal(await problem(put(`http://127.0.0.1:${port}/`)), 'closed');
  });

  it('reports when what answers speaks something else', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume().end('SSH-2.0\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      assert.equal(await problem(put(`http://127.0.0.1:${port}/`)), 'other');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('reads no endless response, and does not ask for it again', async () => {
    let written = 0;
    const port = await serving((_, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (written < 1000 && response.writable) {
          written += 1;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const transport = httpTransport(options, 100_000);
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} };
    await assert.rejects(transport({ ...request, body: Buffer.alloc(0) }), (error) => {
      assert.ok(error instanceof CliError);
      assert.match(error.message, /more than 100000 bytes/);
      return true;
    });
    assert.ok(written < 1000, `${written} pieces`);
  });

  it('does not follow a redirection', async () => {
    const port = await serving((_, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    assert.equal((await put(`http://127.0.0.1:${port}/`)).status, 302);
  });

  it('sends the path as it is, and closes the connection', async () => {
    const port = await serving((request, response) => {
      const { method, url, headers } = request;
      const { host, connection } = headers;
      const length = headers['content-length'];
      response.setHeader('x-set', 'z');
      response.end(JSON.stringify([method, url, host, connection, length, headers['x-given']]));
    });
    const seen = async (method: string, body: string): Promise<unknown> => {
      const response = await put(`http://127.0.0.1:${port}/a%3Ab//c?d=%24e`, {}, method, body);
      assert.equal(response.headers['x-set'], 'z');
      return JSON.parse(Buffer.from(response.body).toString());
    };
    const common = ['/a%3Ab//c?d=%24e', `127.0.0.1:${port}`, 'close'];
    assert.deepEqual(await seen('PUT', 'body'), ['PUT', ...common, '4', 'y']);
    assert.deepEqual(await seen('POST', ''), ['POST', ...common, '0', 'y']);
    assert.deepEqual(await seen('GET', ''), ['GET', ...common, null, 'y']);
  });

  it('refuses a certificate that no one vouches for', async () => {
    assert.equal(await problem(put(`https://127.0.0.1:${await secure()}/`)), 'tls');
  });

  it('refuses a bundle of certificates that is not there', async () => {
    const url = `https://127.0.0.1:${await secure()}/`;
    assert.equal(await problem(put(url, { caBundle: join(folder, 'none.pem') })), 'tls');
  });

  it('refuses to speak HTTPS to what does not', async () => {
    const port = await serving((_, response) => response.end());
    assert.equal(await problem(put(`https://127.0.0.1:${port}/`)), 'tls');
  });

  it('trusts a bundle of certificates, or any certificate on request', async () => {
    const url = `https://localhost:${await secure()}/`;
    assert.equal(await problem(put(url, { caBundle: files.authority })), 'answered 200');
    assert.equal(await problem(put(url, { verifySsl: false })), 'answered 200');
  });
});
