import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect as connectSecurely } from 'node:tls';

import { OperatorError } from '#platform/operator-error.ts';

import { publicUrls } from './public-urls.ts';
import {
  type DevelopmentCertificate,
  makeDevelopmentCertificate,
} from './development-certificate.ts';
import { isCertificateFor, readTlsCertificate } from './tls-certificate.ts';
import { listen, type Listener } from './listener.ts';

describe('HTTPS', () => {
  let folder: string;
  let files: DevelopmentCertificate;
  let listener: Listener;
  let authority: Buffer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-tls-'));
    files = await makeDevelopmentCertificate(folder);
    authority = await readFile(files.authority);
    listener = await listen('127.0.0.1', 0, { certificate: await readTlsCertificate(files) });
    listener.handleWith((request, response) => response.end(`served ${request.url}`));
  });
  after(async () => {
    await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
    await rm(folder, { recursive: true, force: true });
  });

  interface HttpResponse {
    readonly status: number;
    readonly text: string;
  }

  function ask(
    request: typeof plainRequest,
    options: { port: number; hostname: string; ca?: Buffer; method?: string },
    body = '',
  ): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, path: '/x', agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: answer.statusCode ?? 0, text });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  test('a certificate without a key, files that are none, and a foreign key are refused', async () => {
    const nowhere = { ...files, key: join(folder, 'nowhere.pem') };
    await assert.rejects(
      readTlsCertificate(nowhere),
      /^OperatorError: Cannot read the file of --tls-key/,
    );
    const nonsense = join(folder, 'nonsense.pem');
    await writeFile(nonsense, 'nonsense');
    const wrong = { ...files, certificate: nonsense };
    await assert.rejects(readTlsCertificate(wrong), /Cannot use the certificate/);
    const foreign = { ...files, key: join(folder, 'tls', 'authority-key.pem') };
    await assert.rejects(readTlsCertificate(foreign), /Cannot use the certificate/);
  });

  test('is served to a client that trusts the authority, under each loopback name', async () => {
    for (const hostname of ['localhost', '127.0.0.1']) {
      const answer = await ask(secureRequest, { port: listener.port, hostname, ca: authority });
      assert.deepEqual(answer, { status: 200, text: 'served /x' });
    }
  });

  test('is for hosts of function URLs too', async () => {
    const { cert } = await readTlsCertificate(files);
    const host = `${'a'.repeat(32)}.lambda-url.us-east-1.localhost`;
    assert.equal(isCertificateFor(cert, host), true);
    assert.equal(isCertificateFor(cert, 'a.lambda-url.eu-west-1.localhost'), false);
  });

  test('is not trusted by anybody else', async () => {
    const asked = ask(secureRequest, { port: listener.port, hostname: '127.0.0.1' });
    await assert.rejects(asked, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  test('reports plain HTTP to the client, and does not let it hang', async () => {
    const options = { port: listener.port, hostname: '127.0.0.1', method: 'POST' };
    const answer = await ask(plainRequest, options, 'x'.repeat(300_000));
    assert.equal(answer.status, 400);
    assert.match(answer.text, /This port accepts HTTPS only/);
  });

  test('survives a connection that breaks off, and bytes that are no handshake', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () => socket.destroy());
      socket.once('close', () => resolve());
    });
    await new Promise<void>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () =>
        socket.write(Buffer.from([0x16, 1, 2, 3, 4, 5, 6])),
      );
      socket.on('error', () => {});
      socket.once('close', () => resolve());
      socket.resume();
    });
    const options = { port: listener.port, hostname: 'localhost', ca: authority };
    assert.equal((await ask(secureRequest, options)).status, 200);
  });

  test('a handshake that comes in pieces is one all the same', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    const secured = connectSecurely({ socket, servername: 'localhost', ca: authority });
    await new Promise<void>((resolve, reject) => {
      secured.once('secureConnect', resolve);
      secured.once('error', reject);
    });
    assert.equal(secured.authorized, true);
    secured.destroy();
  });

  test('the base URL that is given out says https', () => {
    const settings = {
      baseUrl: undefined,
      host: '127.0.0.1',
      tls: files,
      functions: { urlDomain: undefined },
    };
    assert.equal(publicUrls(settings, 8443).baseUrl, 'https://127.0.0.1:8443');
    const { loopbackBaseUrls } = publicUrls(settings, 443);
    assert.equal(loopbackBaseUrls.get('localhost'), 'https://localhost');
  });

  test('a new certificate is signed by the authority that is there', async () => {
    const again = await makeDevelopmentCertificate(folder);
    assert.deepEqual(await readFile(again.authority), authority);
    assert.equal((await stat(again.key)).mode & 0o077, 0, 'the key is its owner’s only');
  });

  test('says what is missing where there is no openssl', async () => {
    const created = makeDevelopmentCertificate(join(folder, 'none'), {
      command: join(folder, 'no-openssl'),
    });
    await assert.rejects(created, (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /no-openssl", which creates certificates, was not found/);
      return true;
    });
  });
});
