import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';

import { flushPacket, formatPacket, formatSideband } from '../git/format/pkt-line.ts';
import { isPrivateAddress } from '../http/private-target.ts';
import { fetchPack, type ImportSource, parseImportUrl, readSource } from './import-source.ts';

const id = 'a'.repeat(40);
const capabilities = 'side-band-64k symref=HEAD:refs/heads/trunk';

describe('a repository on another server', () => {
  let server: Server;
  let base: string;
  let asked: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};

  before(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const reach = { refuses: () => false, signal: new AbortController().signal };
  const read = (path = '/r.git'): Promise<ImportSource> => readSource(new URL(base + path), reach);

  function advertise(
    lines: readonly string[],
    type = 'application/x-git-upload-pack-advertisement',
  ) {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(
        Buffer.concat([
          formatPacket('# service=git-upload-pack\n'),
          flushPacket,
          ...lines.map((line) => formatPacket(line)),
          flushPacket,
        ]),
      );
    };
  }

  test('has a URL by HTTP, without credentials', () => {
    assert.equal(parseImportUrl(' https://x.test/a/b/ ')?.href, 'https://x.test/a/b');
    for (const text of [
      '',
      'x.test/a',
      'git@x.test:a/b',
      'ssh://x.test/a',
      'file:///etc',
      'https://user:word@x.test/a',
      'https://user@x.test/a',
      'https://x.test/a?b',
      'https://x.test/a#b',
      `https://x.test/${'a'.repeat(2048)}`,
    ]) {
      assert.equal(parseImportUrl(text), undefined, text);
    }
  });

  test('is not asked at a private address, nor at one that a redirect leads to', async () => {
    const checked = { ...reach, refuses: isPrivateAddress };
    await assert.rejects(readSource(new URL(`${base}/r`), checked), { name: 'TargetError' });
    assert.deepEqual(asked, []);
    answer = (request, response) => {
      const location = `http://127.0.0.2${request.url}`;
      response.writeHead(302, { location }).end();
    };
    const partly = { ...reach, refuses: (address: string) => address === '127.0.0.2' };
    await assert.rejects(readSource(new URL(`${base}/r`), partly), { name: 'TargetError' });
  });

  test('has branches and tags; others, and names that no ref may have, are left out', async () => {
    advertise([
      `${id} HEAD\0${capabilities}\n`,
      `${id} refs/heads/trunk\n`,
      `${id} refs/heads/a..b\n`,
      `${id} refs/pull/1/head\n`,
      `${id} refs/tags/v1\n`,
      `${id} refs/tags/v1^{}\n`,
    ]);
    const { refs, skipped, defaultBranch, service } = await read();
    assert.deepEqual(
      refs.map(({ name }) => name),
      ['refs/heads/trunk', 'refs/tags/v1'],
    );
    assert.equal(skipped, 1);
    assert.equal(defaultBranch, 'trunk');
    assert.equal(service.href, `${base}/r.git/git-upload-pack`);
    assert.deepEqual(asked, ['GET /r.git/info/refs?service=git-upload-pack']);
  });

  test('is followed where it has moved, and nowhere else', async () => {
    advertise([`${id} HEAD\0${capabilities}\n`]);
    const moved = answer;
    answer = (request, response) => {
      if (request.url?.startsWith('/new/')) moved(request, response);
      else {
        const location = `/new${request.url}`;
        response.writeHead(301, { location }).end();
      }
    };
    assert.equal((await read()).service.pathname, '/new/r.git/git-upload-pack');
    for (const location of [
      '/login',
      'ftp://x.test/info/refs?service=git-upload-pack',
      '/info/refs',
    ]) {
      answer = (_request, response) => response.writeHead(302, { location }).end();
      await assert.rejects(read(), /redirects to no git repository/, location);
    }
    answer = (request, response) => response.writeHead(302, { location: request.url }).end();
    await assert.rejects(read(), /redirects too often/);
  });

  test('is refused where it is none, or not one that can be read', async () => {
    const status = (code: number) => (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(code).end();
    for (const [code, message] of [
      [401, /no public repository/],
      [404, /no public repository/],
      [500, /answered 500/],
      [200, /no git repository/],
    ] as const) {
      answer = status(code);
      await assert.rejects(read(), { name: 'ImportError', message }, String(code));
    }
    advertise([`${id} HEAD\0side-band-64k object-format=sha256\n`]);
    await assert.rejects(read(), /SHA-1/);
    advertise([`${id} refs/heads/a\0ofs-delta\n`]);
    await assert.rejects(read(), /too old/);
    advertise(Array.from({ length: 300_000 }, () => 'x'));
    await assert.rejects(read(), /too many branches and tags/);
    advertise(Array.from({ length: 10_001 }, (_, index) => `${id} refs/tags/${index}\n`));
    await assert.rejects(read(), /more than 10000/);
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.end(Buffer.concat([formatPacket('# service=git-upload-pack\n'), flushPacket]));
    };
    await assert.rejects(read(), /broke off/);
  });

  test('gives its pack, or says why not', async () => {
    advertise([`${id} HEAD\0${capabilities}\n`, `${id} refs/heads/trunk\n`, `${id} refs/tags/t\n`]);
    const source = await read();
    const pack = async (...packets: readonly Buffer[]): Promise<string> => {
      answer = (_request, response) => response.writeHead(200).end(Buffer.concat(packets));
      const pieces: Buffer[] = [];
      for await (const piece of fetchPack(source, reach)) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    };
    const nak = formatPacket('NAK\n');
    const band = (number: 1 | 2 | 3, text: string): Buffer =>
      formatSideband(number, Buffer.from(text));
    assert.equal(
      await pack(nak, band(1, 'PA'), band(2, 'working'), band(1, 'CK'), flushPacket),
      'PACK',
    );
    await assert.rejects(pack(nak, band(1, 'PA')), /broke off/);
    await assert.rejects(pack(nak, band(3, 'no <b>')), /Its server says: no <b>/);
    await assert.rejects(pack(nak, band(3, 'no\0thing')), /Its server says: no\uFFFDthing/);
    await assert.rejects(pack(formatPacket('ERR gone')), /Its server says: gone/);
  });
});
