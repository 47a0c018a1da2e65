import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { after, afterEach, before, describe, it } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { crc32 } from 'node:zlib';

import { forwardedSpan, isForwarded } from '#platform/forwarded-request.ts';
import { functionCallerOf, setFunctionCaller } from '#platform/function-caller.ts';
import { currentLineage, inLineageOf, setRequestLineage } from '#platform/invocation-lineage.ts';
import { installTracer } from '#platform/tracing.ts';
import { createLog } from '#platform/log.ts';

import { ForwardAgent } from './forward.ts';
import { type Node, NodeUnavailableError } from './nodes.ts';
import { serveForwardedRequests } from './forwarded-requests.ts';
import {
  dialPeer,
  listenForPeers,
  parseAddress,
  type PeerKeys,
  type PeerListener,
} from './peers.ts';

function keysOf(byte: number): PeerKeys {
  const key = Buffer.alloc(32, byte);
  return {
    derive: () => ({ name: 'key', key }),
    deriveFrom: (name) => (name === 'key' ? key : undefined),
  };
}

const keys = keysOf(1);

describe('a request that a node forwards', () => {
  let listener: PeerListener;
  let passed: ReturnType<typeof serveForwardedRequests>;
  let front: Server;
  let agent: ForwardAgent;
  let home: Node;
  /** What the other node answers, and what the first does before it passes a request on. */
  let answer: RequestListener = () => {};
  let prepare: (request: IncomingMessage) => void = () => {};
  const failures: unknown[] = [];

  before(async () => {
    passed = serveForwardedRequests((request, response) => answer(request, response), []);
    listener = await startNode();
    home = { serverId: 'home', name: 'home', address: listener.address };
    agent = new ForwardAgent(() => dialPeer(keys, 'front', home, 'http/1.1'));
    front = createServer((request, response) => {
      prepare(request);
      agent.forward(home, request, response).catch((error: unknown) => {
        failures.push(error);
        response.writeHead(503).end('unavailable');
      });
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  afterEach(() => {
    prepare = () => {};
    failures.length = 0;
  });
  after(async () => {
    agent.close();
    passed.close();
    await listener.close();
    front.closeAllConnections();
    front.close();
  });

  function startNode(handshakeMilliseconds?: number): Promise<PeerListener> {
    return listenForPeers({
      address: '127.0.0.1:0',
      log: createLog('silent'),
      keys,
      accept: {
        'http/1.1': (socket) => passed.accept(socket),
        'hob-git': (socket) => socket.destroy(),
        'hob-git-shard': (socket) => socket.destroy(),
        'hob-node': (socket) => socket.destroy(),
      },
      ...(handshakeMilliseconds === undefined ? {} : { handshakeMilliseconds }),
    });
  }

  const port = (): number => {
    const address = front.address();
    assert.ok(address !== null && typeof address !== 'string');
    return address.port;
  };

  function send(options: Parameters<typeof httpRequest>[1] = {}) {
    return httpRequest({ host: '127.0.0.1', port: port(), agent: false, ...options });
  }

  async function exchange(
    options: Parameters<typeof httpRequest>[1] = {},
    body?: Readable,
  ): Promise<{ response: IncomingMessage; content: Buffer }> {
    const sent = send(options);
    const responded = once(sent, 'response');
    if (body) body.pipe(sent);
    else sent.end();
    const [response] = await responded;
    return { response, content: await buffer(response) };
  }

  it('is refused where its client is not described as this version does', async () => {
    answer = () => assert.fail('It was served.');
    const known = { address: '192.0.2.1', isSecure: true };
    for (const client of [
      '',
      'null',
      '{',
      '{}',
      { ...known, address: 1 },
      { ...known, caller: {} },
    ]) {
      const socket = dialPeer(keys, 'front', home, 'http/1.1');
      const described = typeof client === 'string' ? client : JSON.stringify(client);
      socket.write(
        `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nHob-Forwarded-Client: ${described}\r\n\r\n`,
      );
      // The node closes at once: what this end sends then can be answered by a reset.
      const [head] = await once(socket, 'data');
      assert.match(String(head), /^HTTP\/1\.1 400 /, described);
      socket.on('error', () => {}).destroy();
    }
  });

  it('arrives as it was sent, with what is known of its client', async () => {
    const caller = { functionArn: 'arn:of:function', reach: 'service' } as const;
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true };
    const uninstall = installTracer({
      span: (_name, _attributes, work) => work(),
      current: () => span,
    });
    prepare = (request) => {
      setFunctionCaller(request, caller);
      setRequestLineage(request, 'chain');
      request.headers['x-replaced'] = 'by the first node';
      delete request.headers['x-removed'];
    };
    let seen: Record<string, unknown> = {};
    answer = (request, response) => {
      const { method, url, headers, rawHeaders } = request;
      const repeated = rawHeaders.filter((_, index) => rawHeaders[index - 1] === 'X-Twice');
      seen = {
        method,
        url,
        host: headers.host,
        replaced: headers['x-replaced'],
        removed: headers['x-removed'],
        claimed: headers['hob-forwarded-client'],
        hop: headers['connection'],
        repeated,
        address: request.socket.remoteAddress,
        caller: functionCallerOf(request),
        lineage: inLineageOf(request, currentLineage),
        isForwarded: isForwarded(request),
        span: forwardedSpan(request),
      };
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.setHeader('X-Case', 'Kept');
      response.setHeader('Hob-Node', 'claimed by a function');
      response.statusCode = 299;
      response.statusMessage = 'Odd';
      response.end('answer');
    };
    const { response, content } = await exchange({
      method: 'DELETE',
      path: '/a%2Fb?c=%20d',
      headers: {
        Host: 'code.test',
        'X-Twice': ['one', 'two'],
        'X-Replaced': 'by the client',
        'X-Removed': 'by the first node',
        'Hob-Forwarded-Client': '{"address":"203.0.113.1"}',
      },
    });
    assert.deepEqual(seen, {
      method: 'DELETE',
      url: '/a%2Fb?c=%20d',
      host: 'code.test',
      replaced: 'by the first node',
      removed: undefined,
      claimed: undefined,
      hop: 'keep-alive',
      repeated: ['one', 'two'],
      address: '127.0.0.1',
      caller,
      lineage: 'chain',
      isForwarded: true,
      span,
    });
    uninstall();
    assert.equal(response.statusCode, 299);
    assert.equal(response.statusMessage, 'Odd');
    assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2']);
    assert.ok(response.rawHeaders.includes('X-Case'));
    assert.equal(response.headers['hob-node'], String(crc32(home.address)));
    assert.equal(content.toString(), 'answer');
  });

  it('arrives without a host, and with as many headers as its node reads', async () => {
    answer = (request, response) => {
      const { headers, rawHeaders } = request;
      response.end(`${headers.host} ${rawHeaders.filter((name) => name === 'x').length}`);
    };
    const many = 'x: \r\n'.repeat(1000);
    for (const [head, expected] of [
      ['GET / HTTP/1.0\r\n', 'undefined 0'],
      [`GET / HTTP/1.0\r\n${many}`, 'undefined 1000'],
    ]) {
      const socket = connect(port(), '127.0.0.1');
      socket.write(`${head}\r\n`);
      assert.equal((await text(socket)).split('\r\n\r\n')[1], expected);
    }
  });

  it('streams both ways, however large it is', async () => {
    const piece = randomBytes(2 ** 20);
    const pieces = 24;
    const expected = createHash('sha256');
    for (let count = 0; count < pieces; count += 1) expected.update(piece);
    answer = (request, response) => request.pipe(response);
    const sent = send({ method: 'POST' });
    Readable.from(Array.from({ length: pieces }, () => piece)).pipe(sent);
    const [response]: IncomingMessage[] = await once(sent, 'response');
    assert.ok(response);
    const found = createHash('sha256');
    for await (const chunk of response) found.update(chunk);
    assert.equal(found.digest('hex'), expected.digest('hex'));
  });

  it('stops reading from a client whose node does not read', async () => {
    let held: { request: IncomingMessage; response: ServerResponse } | undefined;
    const arrived = Promise.withResolvers<void>();
    answer = (request, response) => {
      held = { request, response };
      arrived.resolve();
    };
    const sent = send({ method: 'POST' });
    const responded = once(sent, 'response');
    const piece = Buffer.alloc(2 ** 20);
    const pieces = 100;
    let written = 0;
    const body = new Readable({
      read() {
        written += 1;
        this.push(written <= pieces ? piece : null);
      },
    });
    body.pipe(sent);
    await arrived.promise;
    // The buffers of the system and of both nodes: far less than the body.
    await new Promise<void>((resolve) => {
      let last = -1;
      const look = setInterval(() => {
        if (written === last) {
          clearInterval(look);
          resolve();
        }
        last = written;
      }, 100);
    });
    assert.ok(written < 60, `${written} MiB were taken`);
    assert.ok(held);
    const { request, response } = held;
    const length = (await buffer(request)).length;
    response.end();
    await responded;
    assert.equal(length, pieces * 2 ** 20);
  });

  it('is answered 503 when the node ends first, and breaks off when it ends midway', async () => {
    answer = (request) => request.socket.destroy();
    const { response, content } = await exchange();
    assert.equal(response.statusCode, 503);
    assert.equal(content.toString(), 'unavailable');
    assert.ok(failures[0] instanceof NodeUnavailableError);
    let other: ServerResponse | undefined;
    answer = (_request, started) => {
      started.setHeader('content-length', 100);
      started.write('half');
      other = started;
    };
    const sent = send();
    sent.end();
    const [broken]: IncomingMessage[] = await once(sent, 'response');
    assert.ok(broken);
    const reading = text(broken);
    other?.socket?.destroy();
    await assert.rejects(reading, /aborted/);
  });

  it('ends at the node when its client leaves, while it sends and while it reads', async () => {
    for (const reads of [false, true]) {
      const left = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      answer = (request, response) => {
        if (reads) response.write('started');
        response.once('close', () => left.resolve());
        request.once('data', () => started.resolve());
      };
      const sent = send({ method: 'POST' });
      sent.on('error', () => {});
      // It may come before the body has arrived.
      const responded = reads ? once(sent, 'response') : undefined;
      sent.write('some');
      await started.promise;
      await responded;
      sent.destroy();
      await left.promise;
    }
  });

  it('may have a large head, and so may its response', async () => {
    answer = (request, response) => {
      response.setHeader('x-long', 'r'.repeat(30_000));
      response.end(String(request.headers['x-long']?.length));
    };
    const { response, content } = await exchange({
      headers: { 'x-long': 'q'.repeat(15_000) },
      maxHeaderSize: 65_536,
    });
    assert.equal(content.toString(), '15000');
    assert.equal(response.headers['x-long']?.length, 30_000);
  });

  it('needs the key', async () => {
    let answered = 0;
    answer = (_request, response) => {
      answered += 1;
      response.end();
    };
    const wrong = dialPeer(keysOf(2), 'front', home, 'http/1.1');
    const [wrongKey] = await once(wrong, 'error');
    const unknown = dialPeer(
      { ...keys, derive: () => ({ name: 'other', key: Buffer.alloc(32, 1) }) },
      'front',
      home,
      'http/1.1',
    );
    const [unknownName] = await once(unknown, 'error');
    // A reset may overtake the alert of TLS.
    const alerts = [wrongKey, unknownName].map(({ code }) => String(code)).filter(isAlert);
    assert.ok(new Set(alerts).size <= 1, `does not say which of both was wrong: ${alerts.join()}`);
    const { host, port: peerPort } = parseAddress(home.address);
    const anonymous = connectSecurely({ host, port: peerPort, rejectUnauthorized: false });
    await once(anonymous, 'error');
    const plain = connect(peerPort, host);
    plain.on('error', () => {});
    plain.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.doesNotMatch(await text(plain).catch(() => ''), /HTTP/);
    assert.equal(answered, 0);
  });

  it('is not waited for where its node says nothing at all', async () => {
    const impatient = await startNode(100);
    try {
      const address = parseAddress(impatient.address);
      const silent = connect(address.port, address.host);
      silent.on('error', () => {}).resume();
      await once(silent, 'close');
    } finally {
      await impatient.close();
    }
  });
});

const isAlert = (code: string): boolean => code !== 'ECONNRESET';
