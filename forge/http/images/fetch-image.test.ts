import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { isPrivateAddress } from '../private-target.ts';
import { fetchImage } from './fetch-image.ts';

describe('fetching an image of another server', () => {
  let server: Server;
  let base: string;
  const asked: { path: string; headers: Readonly<Record<string, unknown>> }[] = [];
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/a.png': (response) => {
      response.writeHead(200, { 'content-type': 'image/PNG; x=y', 'set-cookie': 'a=b' });
      response.end('png');
    },
    '/text': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<script>');
    },
    '/untyped': (response) => {
      response.writeHead(200).end('png');
    },
    '/gone': (response) => {
      response.writeHead(404, { 'content-type': 'image/png' }).end('png');
    },
    '/encoded': (response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' });
      response.end('x');
    },
    '/large': (response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      const chunk = Buffer.alloc(1024 * 1024);
      const send = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', send);
      };
      send();
    },
    '/broken': (response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '9' });
      response.write('p');
      response.socket?.destroy();
    },
    '/once': (response) => {
      response.writeHead(302, { location: '/a.png' }).end();
    },
    '/forever': (response) => {
      response.writeHead(302, { location: '/forever' }).end();
    },
    '/elsewhere': (response) => {
      response.writeHead(302, { location: base.replace('127.0.0.1', '127.0.0.2') }).end();
    },
    '/file': (response) => {
      response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    },
    '/silent': () => {},
  };

  before(async () => {
    server = createServer(({ url = '', headers }, response) => {
      asked.push({ path: url, headers });
      answers[url]?.(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const get = (path: string, refuses: (address: string) => boolean = () => false) =>
    fetchImage(new URL(base + path), { refuses, signal: new AbortController().signal });

  test('asks no private address, nor one that a redirect leads to', async () => {
    asked.length = 0;
    await assert.rejects(get('/a.png', isPrivateAddress), {
      name: 'ImageError',
      message: 'It has no address, or a loopback or private one.',
    });
    for (const host of ['localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]']) {
      const url = new URL(base.replace('127.0.0.1', host));
      const fetched = fetchImage(url, {
        refuses: isPrivateAddress,
        signal: new AbortController().signal,
      });
      await assert.rejects(fetched, { name: 'ImageError' }, host);
    }
    assert.deepEqual(asked, []);
    await assert.rejects(
      get('/elsewhere', (address) => address === '127.0.0.2'),
      { message: 'It has no address, or a loopback or private one.' },
    );
  });

  test('takes images alone, of a bounded size', async () => {
    for (const [path, message] of [
      ['/text', 'Its server sent no image.'],
      ['/untyped', 'Its server sent no image.'],
      ['/gone', 'Its server answered 404.'],
      ['/encoded', 'Its server sent it encoded.'],
      ['/large', 'It is too large.'],
      ['/broken', 'Its server could not be reached.'],
      ['/forever', 'Its server redirects too often.'],
      ['/file', 'Its server redirects to no address.'],
    ] as const) {
      await assert.rejects(get(path), { name: 'ImageError', message }, path);
    }
  });

  test('says nothing of who reads it', async () => {
    asked.length = 0;
    const { contentType, body } = await get('/once');
    assert.deepEqual([contentType, body.toString()], ['image/png', 'png']);
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/once', '/a.png'],
    );
    for (const { headers } of asked) {
      assert.deepEqual(Object.keys(headers).toSorted(), [
        'accept',
        'connection',
        'host',
        'user-agent',
      ]);
    }
  });

  test('ends when the server stops', async () => {
    const stopping = new AbortController();
    const fetched = fetchImage(new URL(`${base}/silent`), {
      refuses: () => false,
      signal: stopping.signal,
    });
    stopping.abort(new Error('stopping'));
    await assert.rejects(fetched, { message: 'stopping' });
  });
});
