import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as requestSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { currentLineage, inLineageOf } from '#platform/invocation-lineage.ts';

import { developmentAuthority, makeDevelopmentCertificate } from './development-certificate.ts';
import { listen, type Listener } from './listener.ts';
import { createSandboxServer } from './sandbox-server.ts';
import { askAt } from './testing/test-application.ts';
import {
  openTestSandbox,
  sandboxServerOptions,
  testClient,
  type TestSandbox,
} from './testing/test-sandbox.ts';
import { readTlsCertificate } from './tls-certificate.ts';

describe('connections inside sandboxes', () => {
  let listener: Listener;
  let sandboxServer: ReturnType<typeof createSandboxServer>;
  let inside: TestSandbox;

  before(async () => {
    listener = await listen('127.0.0.1', 0);
    sandboxServer = createSandboxServer({
      ...sandboxServerOptions,
      answer: listener.answer,
    });
    inside = await openTestSandbox(sandboxServer);
  });
  after(async () => {
    inside.close();
    sandboxServer.close();
    await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
  });

  it('get the response that the server starts', async () => {
    const answer = await askAt(inside.port, { path: '/', headers: { host: 'a' } });
    assert.equal(answer.status, 503);
  });

  it('are closed without a request', async () => {
    const impatient = createSandboxServer({
      ...sandboxServerOptions,
      answer: listener.answer,
      openingMilliseconds: 20,
    });
    const sandbox = await openTestSandbox(impatient);
    const socket = connect(sandbox.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    await once(socket, 'close');
    sandbox.close();
    impatient.close();
  });

  it('are ended when the head of a request does not arrive', { timeout: 60_000 }, async (t) => {
    const impatient = createSandboxServer({
      ...sandboxServerOptions,
      answer: listener.answer,
      openingMilliseconds: 120_000,
      limits: { headersTimeout: 50, connectionsCheckingInterval: 10 },
    });
    const sandbox = await openTestSandbox(impatient);
    const socket = connect(sandbox.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
    t.after(() => {
      socket.destroy();
      sandbox.close();
      impatient.close();
    });
    const text = (await socket.setEncoding('latin1').toArray()).join('');
    assert.match(text, /^HTTP\/1\.1 408/);
  });

  it('are each held to the rate where a program binds one port at two addresses', async (t) => {
    const impatient = createSandboxServer({
      ...sandboxServerOptions,
      answer: listener.answer,
      limits: { bytesPerSecondMin: 1000, graceMilliseconds: 50, sweepMilliseconds: 10 },
    });
    const sandbox = await openTestSandbox({
      ...impatient,
      accept(socket, client) {
        Object.defineProperty(socket, 'remotePort', { value: 1024 });
        impatient.accept(socket, client);
      },
    });
    const sockets: Socket[] = [];
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      sandbox.close();
      impatient.close();
    });
    for (let count = 0; count < 2; count += 1) {
      const reached = Promise.withResolvers<void>();
      listener.handleWith(() => reached.resolve());
      const socket = connect(sandbox.port, '127.0.0.1');
      sockets.push(socket);
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n');
      await reached.promise;
    }
    for (const socket of sockets) {
      const text = (await socket.setEncoding('latin1').toArray()).join('');
      assert.match(text, /^HTTP\/1\.1 408/);
    }
  });

  it('stay open for as long as a request is answered', async () => {
    let timeout: number | undefined;
    listener.handleWith((request, response) => {
      ({ timeout } = request.socket);
      response.end();
    });
    await askAt(inside.port, { path: '/', headers: { host: 'a' } });
    assert.equal(timeout, 0);
  });

  it('end with a refusal when they carry no HTTP', async () => {
    const socket = connect(inside.port, '127.0.0.1');
    socket.write('SSH-2.0-program\r\n\r\n');
    const [bytes]: unknown[] = await once(socket, 'data');
    assert.match(String(bytes), /^HTTP\/1\.1 400/);
    socket.destroy();
  });

  it('carry the chain of the function to the services', async () => {
    let seen: string | undefined;
    listener.handleWith((request, response) => {
      seen = inLineageOf(request, currentLineage);
      response.end();
    });
    await askAt(inside.port, { path: '/', headers: { host: 'a' } });
    assert.equal(seen, '0a1b2c3d:3');
  });
});

describe('an HTTPS base URL inside sandboxes', () => {
  let folder: string;
  let listener: Listener;
  let sandboxServer: ReturnType<typeof createSandboxServer>;
  let inside: TestSandbox;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-inside-tls-'));
    const files = await makeDevelopmentCertificate(folder);
    const certificate = await readTlsCertificate(files);
    listener = await listen('127.0.0.1', 0, { certificate });
    listener.handleWith((request, response) =>
      response.end(`${request.socket.remoteAddress} ${'encrypted' in request.socket}`),
    );
    sandboxServer = createSandboxServer({
      ...sandboxServerOptions,
      baseUrl: 'https://localhost',
      certificate,
      authority: await developmentAuthority(folder, certificate.cert),
      answer: listener.answer,
    });
    inside = await openTestSandbox(sandboxServer);
  });
  after(async () => {
    inside.close();
    sandboxServer.close();
    await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
    await rm(folder, { recursive: true, force: true });
  });

  it('has the same certificate, whose private authority programs get', async () => {
    const { authority } = sandboxServer;
    assert.equal(authority, await readFile(join(folder, 'tls', 'authority.pem'), 'utf8'));
    const options = { port: inside.port, host: 'localhost', ca: authority, agent: false };
    const sent = requestSecurely(options);
    sent.end();
    const [answer] = await once(sent, 'response');
    const [bytes]: unknown[] = await once(answer, 'data');
    assert.equal(String(bytes), 'fd00:0:0:1::1 true');
  });

  it('closes a connection that does not speak TLS', async () => {
    const socket = connect(inside.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'close');
  });

  it('is plain where the program was given another address', async () => {
    inside.client = { ...testClient, atBaseUrl: false };
    const answer = await askAt(inside.port, { path: '/', headers: { host: 'a' } });
    inside.client = testClient;
    assert.equal(answer.status, 200);
  });

  it('is not served without a certificate', async () => {
    const proxied = createSandboxServer({
      ...sandboxServerOptions,
      baseUrl: 'https://hob.example',
      answer: listener.answer,
    });
    assert.equal(proxied.servesBaseUrl, false);
    proxied.close();
  });

  it('has no private authority where another one has signed the certificate', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'hob-inside-tls-'));
    const files = await makeDevelopmentCertificate(elsewhere);
    const certificate = await readFile(files.certificate);
    assert.equal(await developmentAuthority(folder, certificate), undefined);
    await rm(elsewhere, { recursive: true, force: true });
    assert.equal(await developmentAuthority(elsewhere, certificate), undefined);
  });
});
