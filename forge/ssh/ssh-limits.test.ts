import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';

import type { FastifyInstance } from 'fastify';
import ssh2, { type ClientChannel } from 'ssh2';

import { createBackgroundWork } from '#platform/background.ts';
import { ownTurn } from '#platform/in-turns.ts';

import { createForgeServer } from '../forge.ts';
import { flushPacket, formatPacket } from '../git/format/pkt-line.ts';
import { GitError } from '../git/git-error.ts';
import type { GitRepository } from '../git/git.ts';
import { noObject } from '../git/names.ts';
import { openIntents } from '../ref-updates/intent-store.ts';
import type { OpenSshKeyPair } from '../ssh-keys/openssh-key-pair.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import type { TestUser } from '../testing/test-forge.ts';
import { type SshForge, startSshForge } from '../testing/test-ssh.ts';

describe('a server of git over SSH', () => {
  let site: SshForge;
  let owner: TestUser;
  let key: OpenSshKeyPair;
  let keyId: number;
  let name: string;
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    site = await startSshForge({}, { countsLoopback: true });
    owner = await site.forge.user('own');
    key = makeSshKey();
    keyId = (await owner.post('/user/keys', { key: key.publicKey })).body.id;
    name = await site.forge.repository(owner, { init: true });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await site.close();
  });

  /** The same server with other answers of git. */
  async function withGit(answers: (real: GitRepository) => Partial<GitRepository>): Promise<void> {
    const { ports } = site.forge;
    const repository = (id: number): GitRepository => {
      const real = ports.git.repository(id);
      return { ...real, ...answers(real) };
    };
    const server: FastifyInstance = await createForgeServer({
      ...ports,
      git: { ...ports.git, repository },
    });
    closing.push(() => server.close());
  }

  async function signIn(as = key): Promise<ssh2.Client> {
    const client = new ssh2.Client();
    closing.push(() => client.destroy());
    client.on('error', () => {});
    const ready = new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.once('error', reject);
      client.once('close', () => reject(new Error('closed')));
    });
    client.connect({
      host: '127.0.0.1',
      port: site.port.port,
      username: 'git',
      privateKey: as.privateKey,
      readyTimeout: 60_000,
    });
    // Else each step of the key exchange waits for the acknowledgment of the last one.
    client.setNoDelay(true);
    await ready;
    return client;
  }

  function exec(client: ssh2.Client, command: string): Promise<ClientChannel> {
    return new Promise((resolve, reject) => {
      client.exec(command, (error, channel) => {
        if (error) reject(error);
        else resolve(channel);
      });
    });
  }

  /** What a command says in the end. */
  async function outcome(
    channel: ClientChannel,
  ): Promise<{ code: unknown; output: string; complaint: string }> {
    const [output, complaint, [code]] = await Promise.all([
      text(channel),
      text(channel.stderr),
      once(channel, 'close'),
    ]);
    return { code, output, complaint };
  }

  const fetching = (): string => `git-upload-pack '${name}.git'`;

  test('stops a push whose key is deleted while the pack arrives', async () => {
    const started = Promise.withResolvers<void>();
    await withGit((real) => ({
      receivePack(...parameters) {
        started.resolve();
        return real.receivePack(...parameters);
      },
    }));
    const tip = (await owner.get(`/repos/${name}/commits/main`)).body.sha;
    const channel = await exec(await signIn(), `git-receive-pack '${name}.git'`);
    const ended = outcome(channel);
    channel.write(
      formatPacket(`${noObject} ${tip} refs/heads/made\0report-status side-band-64k agent=test`),
    );
    channel.write(flushPacket);
    const pack = emptyPack();
    channel.write(pack.subarray(0, 20));
    await started.promise;
    assert.equal((await owner.delete(`/user/keys/${keyId}`)).status, 204);
    channel.end(pack.subarray(20));
    const { output } = await ended;
    assert.match(output, /Bad credentials/);
    assert.match(output, /ng refs\/heads\/made/);
    assert.equal((await owner.get(`/repos/${name}/branches/made`)).status, 404);
    await site.forge.ports.background.idle();
    assert.deepEqual(await site.forge.database.read(openIntents), []);
  });

  test('reports that git was killed, and ends the command', async () => {
    await withGit(() => ({
      async serveFetch() {
        const output = new PassThrough();
        output.write('0004');
        output.once('resume', () => output.destroy(new GitError('unavailable', 'killed')));
        setImmediate(() => output.destroy(new GitError('unavailable', 'killed')));
        return output;
      },
    }));
    const { code, complaint } = await outcome(await exec(await signIn(), fetching()));
    assert.equal(code, 1);
    assert.equal(complaint, 'ERROR: The git service is restarting. Try again later.\n');
  });

  test('ends git when the client leaves, and reads on from a client that sends too much', async () => {
    const given = Promise.withResolvers<PassThrough>();
    await withGit(() => ({
      async serveFetch(request) {
        const output = new PassThrough();
        request.on('error', (error) => output.destroy(error));
        request.resume();
        given.resolve(output);
        return output;
      },
    }));
    const client = await signIn();
    const channel = await exec(client, fetching());
    const output = await given.promise;
    const ended = outcome(channel);
    channel.end(Buffer.alloc(11 * 2 ** 20));
    const { code, complaint } = await ended;
    assert.equal(code, 1);
    assert.match(complaint, /larger than 10485760 bytes/);
    assert.ok(output.destroyed);
  });

  test('ends git when the connection breaks', async () => {
    const given = Promise.withResolvers<PassThrough>();
    await withGit(() => ({
      async serveFetch() {
        const output = new PassThrough();
        output.on('error', () => {});
        given.resolve(output);
        return output;
      },
    }));
    const client = await signIn();
    await exec(client, fetching());
    const output = await given.promise;
    const closed = new Promise((resolve) => output.once('close', resolve));
    client.destroy();
    await closed;
  });

  test('finishes commands when it stops, ends connections without one, and takes no more', async () => {
    const given = Promise.withResolvers<PassThrough>();
    await withGit(() => ({
      async serveFetch() {
        const output = new PassThrough();
        given.resolve(output);
        return output;
      },
    }));
    const idle = await signIn();
    const channel = await exec(await signIn(), fetching());
    const ended = outcome(channel);
    const output = await given.promise;
    const idleEnded = once(idle, 'close');
    const stopped = site.stop();
    await idleEnded;
    await assert.rejects(signIn());
    output.end('the rest');
    channel.end();
    assert.deepEqual(await ended, { code: 0, output: 'the rest', complaint: '' });
    await stopped;
  });

  test('runs eight commands of one connection at once', async () => {
    const outputs: PassThrough[] = [];
    const eighth = Promise.withResolvers<void>();
    const ninth = Promise.withResolvers<PassThrough>();
    await withGit(() => ({
      async serveFetch() {
        const output = new PassThrough();
        outputs.push(output);
        if (outputs.length === 8) eighth.resolve();
        if (outputs.length === 9) ninth.resolve(output);
        return output;
      },
    }));
    const client = await signIn();
    const channels = [];
    for (let count = 0; count < 8; count += 1) channels.push(await exec(client, fetching()));
    await eighth.promise;
    await assert.rejects(exec(client, fetching()), /Channel open failure/);
    for (const output of outputs) output.end();
    await Promise.all(
      channels.map(async (channel) => {
        channel.end();
        return outcome(channel);
      }),
    );
    const channel = await exec(client, fetching());
    const ended = outcome(channel);
    (await ninth.promise).end();
    channel.end();
    assert.equal((await ended).code, 0);
  });

  test('counts a session once, however often its client closes it', async () => {
    await withGit(() => ({ serveFetch: async () => new PassThrough() }));
    const client = await signIn();
    const protocol = protocolOf(client);
    protocol.session(unknownChannel, 2 ** 20, 2 ** 15);
    for (let count = 0; count < 8; count += 1) protocol.channelClose(0);
    for (let count = 0; count < 8; count += 1) await exec(client, fetching());
    await assert.rejects(exec(client, fetching()), /Channel open failure/);
  });

  test('ends a connection whose sessions are closed without a command', async () => {
    await withGit(() => ({ serveFetch: async () => new PassThrough() }));
    const client = await signIn();
    const protocol = protocolOf(client);
    const closed = once(client, 'close');
    // A connection without a command would be ended after a minute.
    await exec(client, fetching());
    for (let id = 1; id <= 101; id += 1) {
      protocol.session(unknownChannel, 2 ** 20, 2 ** 15);
      protocol.channelClose(id);
    }
    await closed;
  });

  test('ends a connection that asks and does not read the answers', async () => {
    await withGit(() => ({ serveFetch: async () => new PassThrough() }));
    const client = await signIn();
    await exec(client, fetching());
    const protocol = protocolOf(client);
    const socket: Socket = Reflect.get(client, '_sock');
    socket.pause();
    while (!socket.closed) {
      for (let count = 0; count < 1000; count += 1) protocol.ping();
      await ownTurn();
    }
  });

  test('ends a connection that asks for packets of one byte', async () => {
    const client = await signIn();
    const protocol = protocolOf(client);
    const session = protocol.session.bind(protocol);
    protocol.session = (channel, window) => session(channel, window, 1);
    const closed = once(client, 'close');
    client.exec(fetching(), () => {});
    await closed;
  });

  test('locks no account after wrong keys, which cannot guess a right one', async () => {
    const unknown = makeSshKey();
    for (let count = 0; count < 101; count += 1) {
      await assert.rejects(signIn(unknown), /authentication methods failed/);
      const client = closing.pop();
      client?.();
    }
    await signIn();
  });

  test('signs in while nothing can be written', async () => {
    const { ports } = site.forge;
    const failed = Promise.withResolvers<void>();
    const write = async (): Promise<never> => {
      failed.resolve();
      throw new Error('the disk is full');
    };
    const background = createBackgroundWork({ onError: () => {} });
    const database = { ...ports.database, read: ports.database.read.bind(ports.database), write };
    const server = await createForgeServer({ ...ports, background, database });
    closing.push(() => server.close());
    closing.push(() => background.close());
    const channel = await exec(await signIn(), fetching());
    channel.end('0000');
    const { code, complaint } = await outcome(channel);
    assert.deepEqual({ code, complaint }, { code: 0, complaint: '' });
    await failed.promise;
  });

  test('limits connections of one address that have not signed in', async () => {
    const open = Array.from({ length: 20 }, () => {
      const socket = connect(site.port.port, '127.0.0.1');
      closing.push(() => socket.destroy());
      return socket;
    });
    // The server says its version when it serves a connection.
    await Promise.all(open.map((socket) => once(socket, 'data')));
    const refused = connect(site.port.port, '127.0.0.1');
    assert.equal(await text(refused), 'Too many connections. Try again later.\r\n');
    const [first] = open;
    assert.ok(first);
    first.destroy();
    for (;;) {
      const next = connect(site.port.port, '127.0.0.1');
      closing.push(() => next.destroy());
      const [said] = await once(next, 'data');
      if (String(said).startsWith('SSH-2.0-Hob')) break;
    }
  });

  test('survives whatever is sent to its port', async () => {
    const version = Buffer.from('SSH-2.0-test\r\n');
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      Buffer.from('SSH-1.0-x\r\n'),
      Buffer.alloc(100_000, 'x'),
      Buffer.concat([version, Buffer.alloc(64)]),
      Buffer.concat([version, Buffer.alloc(64, 255)]),
      ...Array.from({ length: 20 }, () => Buffer.concat([version, randomBytes(2000)])),
      ...Array.from({ length: 20 }, () => randomBytes(20_000)),
    ]) {
      const socket = connect(site.port.port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resume();
      // A client that waits for more than came is ended by the server's limit of time, which is not waited for here.
      socket.end(bytes);
      await closed;
    }
    await signIn();
  });
});

/** What the client's side of ssh2 sends, message by message. */
interface ClientProtocol {
  session(channel: number, window: number, packet: number): void;
  channelClose(channel: number): void;
  ping(): void;
}

function protocolOf(client: ssh2.Client): ClientProtocol {
  return Reflect.get(client, '_protocol');
}

/** The client does not wait for what the server says of it. */
const unknownChannel = 1000;

/** A pack without objects: its header, and its checksum. */
function emptyPack(): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  return Buffer.concat([header, createHash('sha1').update(header).digest()]);
}
