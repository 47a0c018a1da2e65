import { finished, type Readable, Transform } from 'node:stream';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { ServerChannel } from 'ssh2';

import { GitRefusal } from '../http/from-git-error.ts';

/** Bytes that wait in memory for a client of SSH that reads slowly, in addition to a window of SSH. */
const unsentBytesMax = 2 ** 20;
/** Bytes of a client of SSH that wait to be read; more end the connection: ssh2 lets clients send more than their window. */
const unreadBytesMax = 8 * 2 ** 20;
/**
 * Packet of SSH that a client may ask for as the largest. RFC 4253 section 6.1 has all implementations take 32,768 bytes; tiny
 * packets cost a hundred times the processor time.
 */
const packetBytesMin = 1024;
/** Time that a client that has its answer may send nothing and still not end its input. */
const lingerMilliseconds = 5000;
/** Time that a command over SSH may go without a byte in either direction. */
const idleMilliseconds = 600_000;

/** Standard input, output and error of one command, with back-pressure in both directions. */
export class SshChannel {
  readonly #channel: ServerChannel;
  readonly #socket: Socket;
  readonly #gone = new AbortController();
  readonly #idle: NodeJS.Timeout;
  #bytesReceived = 0;

  constructor(channel: ServerChannel, socket: Socket) {
    this.#channel = channel;
    this.#socket = socket;
    this.#idle = setTimeout(() => socket.destroy(), idleMilliseconds);
    const onGone = (): void => {
      clearTimeout(this.#idle);
      socket.off('close', onGone);
      socket.off('data', onData);
      this.#gone.abort();
    };
    const onData = (bytes: Buffer): void => {
      this.#idle.refresh();
      this.#bytesReceived += bytes.length;
      if (channel.readableLength > unreadBytesMax) socket.destroy();
    };
    // Before the listener of ssh2, to which the end of a connection is the end of the input.
    socket.prependListener('close', onGone);
    socket.on('data', onData);
    channel.on('close', onGone);
    channel.on('error', onGone);
    if (packetSizeOf(channel) < packetBytesMin || socket.destroyed) socket.destroy();
  }

  /** Aborted when the client has left. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** What the client sends, up to a maximum. An input that is no longer read does not end the channel: the report goes the other way. */
  input(bytesMax: number): Readable {
    let bytes = 0;
    const body = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        const message = `The request is larger than ${bytesMax} bytes.`;
        if (bytes > bytesMax) done(new GitRefusal(413, message));
        else done(null, chunk);
      },
    });
    // The reader gets the error.
    body.on('error', () => {});
    const onGone = (): void => {
      body.destroy(Object.assign(new Error('The client left.'), { code: 'ECONNRESET' }));
    };
    body.once('close', () => {
      this.gone.removeEventListener('abort', onGone);
      this.#channel.unpipe(body);
      this.#channel.resume();
    });
    if (this.gone.aborted) onGone();
    else this.gone.addEventListener('abort', onGone);
    return this.#channel.pipe(body);
  }

  /** Sends all of a stream to standard output. */
  async send(stream: Readable): Promise<void> {
    for await (const chunk of stream) {
      this.#idle.refresh();
      await this.#taken((done) => this.#channel.write(chunk, done));
      // ssh2 writes to the socket without waiting for it.
      if (this.#socket.writableLength > unsentBytesMax) {
        await this.#taken((done) => this.#socket.once('drain', done));
      }
    }
  }

  /** A line that the client's user sees. */
  async writeError(message: string): Promise<void> {
    if (this.gone.aborted) return;
    const line = `${message.replaceAll(/\p{Cc}/gu, ' ')}\n`;
    await this.#taken((done) => this.#channel.stderr.write(line, done)).catch(() => {});
  }

  /** Waits for the end of the input: a client that is still sending would take the end of the command for an error. */
  async linger(): Promise<void> {
    if (this.#channel.readableEnded || this.gone.aborted) return;
    const ended = new AbortController();
    const stop = finished(this.#channel, { writable: false }, () => ended.abort());
    const signal = AbortSignal.any([ended.signal, this.gone]);
    this.#channel.resume();
    for (let seen = -1; seen !== this.#bytesReceived && !signal.aborted;) {
      seen = this.#bytesReceived;
      await delay(lingerMilliseconds, undefined, { signal }).catch(() => {});
    }
    stop();
  }

  end(exitStatus: number): void {
    clearTimeout(this.#idle);
    if (this.gone.aborted) return;
    this.#channel.resume();
    this.#channel.exit(exitStatus);
    this.#channel.end();
  }

  /** Resolves when the other side has taken it; rejects when it has left, which ssh2 reports to no writer. */
  async #taken(write: (done: () => void) => unknown): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onGone = (): void => reject(new Error('The client left.'));
    this.gone.addEventListener('abort', onGone);
    try {
      if (this.gone.aborted) onGone();
      else write(resolve);
      await promise;
    } finally {
      this.gone.removeEventListener('abort', onGone);
    }
  }
}

/** What the client says is the largest packet it takes. ssh2 does not check it. */
function packetSizeOf(channel: ServerChannel): number {
  const outgoing: unknown = Reflect.get(channel, 'outgoing');
  const size: unknown =
    typeof outgoing === 'object' && outgoing ? Reflect.get(outgoing, 'packetSize') : undefined;
  return typeof size === 'number' ? size : 0;
}
