import type { Socket } from 'node:net';

import ssh2, { type AuthContext, type Connection, type ServerChannel, type Session } from 'ssh2';

import { inBackground } from '#platform/in-background.ts';

import { nameOfKeyOwner } from '../git-http/key-access.ts';
import type { SshCommandRecord, SshHostKey } from '../ports/ssh-port.ts';
import type { SshKey } from '../model/ssh-key.ts';
import { parseSshCommand, type SshCommand } from './git-command.ts';
import { type GitParts, serveGit, serveLfsGrant, untilServed } from './serve-git.ts';
import { signInWithKey } from './sign-in.ts';
import { SshChannel } from './ssh-channel.ts';

export interface ConnectionParts extends GitParts {
  readonly hostKeys: readonly SshHostKey[];
  readonly commandEnded: (command: SshCommandRecord) => void;
}

/** Time to sign in over SSH, from the connection to the signature. */
const graceMilliseconds = 30_000;
/** Keys that a client of SSH offers: an agent offers all that it has. */
const attemptsMax = 20;
/** Commands of one connection of SSH at the same time. */
const sessionsMax = 8;
/**
 * Sessions of one connection of SSH that its client closes without a command: ssh2 keeps them until the connection ends. More end it.
 */
const unusedSessionsMax = 100;
/**
 * Bytes that wait in memory for a client of SSH that sends without reading: ssh2 answers each message that asks for it. More end the
 * connection; output of commands waits before (`unsentBytesMax`).
 */
const unreadRepliesBytesMax = 2 * 2 ** 20;
/** Time that a connection of SSH stays without a command. */
const idleMilliseconds = 60_000;

/** None of those that OpenSSH no longer offers; ciphers that this processor does in hardware. */
const algorithms: ssh2.Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
  ],
  compress: ['none'],
};

/** One connection: it signs in, and then runs commands of git. */
export class SshConnection {
  readonly #parts: ConnectionParts;
  readonly #socket: Socket;
  readonly #address: string;
  #client: Connection | undefined;
  #key: SshKey | undefined;
  #attempts = 0;
  #sessions = 0;
  #unusedSessions = 0;
  #commands = 0;
  #stopping = false;
  #timer: NodeJS.Timeout;

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#parts = parts;
    this.#socket = socket;
    this.#address = socket.remoteAddress ?? '';
    this.#timer = setTimeout(() => socket.destroy(), graceMilliseconds);
    socket.setNoDelay(true);
    // Each command has some of its own.
    socket.setMaxListeners(8 * sessionsMax);
    socket.once('close', () => clearTimeout(this.#timer));
    // A server of its own for each connection: that is how its socket is known.
    const server = new ssh2.Server(
      {
        hostKeys: parts.hostKeys.map(({ privateKey }) => privateKey),
        algorithms,
        ident: 'Hob',
        keepaliveInterval: 15_000,
        keepaliveCountMax: 4,
      },
      (client) => this.#serve(client),
    );
    server.injectSocket(socket);
    socket.on('data', () => {
      if (socket.writableLength > unreadRepliesBytesMax) socket.destroy();
    });
  }

  get isSignedIn(): boolean {
    return this.#key !== undefined;
  }

  /** Ends when no command runs. */
  stop(): void {
    this.#stopping = true;
    if (this.#commands === 0) this.#disconnect();
  }

  #serve(client: Connection): void {
    this.#client = client;
    client.on('error', (err: Error) =>
      this.#parts.log.debug({ err, client: this.#address }, 'an SSH connection failed'),
    );
    client.on('authentication', (attempt) => inBackground(this.#decide(attempt)));
    client.on('ready', () => this.#waitForCommand());
    client.on('session', (accept, reject) => {
      if (this.#sessions >= sessionsMax || this.#stopping) reject();
      else this.#open(accept());
    });
  }

  async #decide(attempt: AuthContext): Promise<void> {
    if (attempt.method === 'none') return attempt.reject(['publickey']);
    this.#attempts += 1;
    if (this.#attempts > attemptsMax) return this.#disconnect();
    try {
      const result = await signInWithKey(this.#parts.ports, attempt);
      if (result.kind === 'refused') return attempt.reject(['publickey']);
      if (result.kind === 'signed-in') this.#key = result.key;
      return attempt.accept();
    } catch (err) {
      this.#parts.log.error({ err }, 'signing in over SSH failed');
      return this.#disconnect();
    }
  }

  #open(session: Session): void {
    this.#sessions += 1;
    let protocol: string | undefined;
    let isUsed = false;
    // ssh2 emits this again whenever the client closes it again.
    session.once('close', () => {
      this.#sessions -= 1;
      if (isUsed) return;
      this.#unusedSessions += 1;
      if (this.#unusedSessions > unusedSessionsMax) this.#disconnect();
    });
    session.on('env', (accept, reject, { key, val }) => {
      if (key !== 'GIT_PROTOCOL') return reject?.();
      protocol = val;
      return accept?.();
    });
    session.on('exec', (accept, _reject, { command }) => {
      isUsed = true;
      this.#begin(accept(), (channel, key) => this.#run(channel, key, { command, protocol }));
    });
    session.on('shell', (accept) => {
      isUsed = true;
      this.#begin(accept(), (channel, key) => this.#greet(channel, key));
    });
  }

  /** Runs a command to its end; a session has one. */
  #begin(
    accepted: ServerChannel | undefined,
    run: (channel: SshChannel, key: SshKey) => Promise<number>,
  ): void {
    const key = this.#key;
    if (!accepted || !key) return this.#disconnect();
    clearTimeout(this.#timer);
    this.#commands += 1;
    const channel = new SshChannel(accepted, this.#socket);
    const ended = (exitStatus: number): void => {
      channel.end(exitStatus);
      this.#commands -= 1;
      if (this.#commands === 0) this.#waitForCommand();
    };
    inBackground(
      run(channel, key).then(ended, (err: unknown) => {
        this.#parts.log.error({ err }, 'git over SSH failed');
        ended(1);
      }),
    );
  }

  async #run(
    channel: SshChannel,
    key: SshKey,
    {
      command: text,
      protocol,
    }: { readonly command: string; readonly protocol?: string | undefined },
  ): Promise<number> {
    const started = performance.now();
    const command = parseSshCommand(text);
    let exitStatus = 1;
    if (command.kind === 'refused') await channel.writeError(`ERROR: ${command.message}`);
    else {
      const request = { key, address: this.#address, protocol };
      exitStatus = await (command.kind === 'git'
        ? serveGit(this.#parts, { ...request, command }, channel)
        : serveLfsGrant(this.#parts, { ...request, command }, channel));
    }
    this.#parts.commandEnded({
      client: this.#address,
      fingerprint: key.fingerprint,
      command: nameOf(command),
      repository: command.kind === 'refused' ? undefined : `${command.owner}/${command.name}`,
      exitStatus: exitStatus !== 0 && channel.gone.aborted ? undefined : exitStatus,
      milliseconds: performance.now() - started,
    });
    return exitStatus;
  }

  /** As GitHub does: people try their keys with `ssh -T git@HOST`. */
  async #greet(channel: SshChannel, key: SshKey): Promise<number> {
    await untilServed(this.#parts, channel, async () => {
      const name = await nameOfKeyOwner(this.#parts.ports, key);
      await channel.writeError(
        `Hi ${name}! You've successfully authenticated, but Hob does not provide shell access.`,
      );
    });
    return 1;
  }

  #waitForCommand(): void {
    clearTimeout(this.#timer);
    if (this.#stopping) this.#disconnect();
    else this.#timer = setTimeout(() => this.#disconnect(), idleMilliseconds);
  }

  #disconnect(): void {
    this.#client?.end();
    // What has been written is sent; a client that does not close its side does not hold the connection.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.destroy(), closeMilliseconds);
    this.#socket.end();
  }
}

/** Time for a client of SSH to close its end of a connection that has ended. */
const closeMilliseconds = 2000;

function nameOf(command: SshCommand): SshCommandRecord['command'] {
  if (command.kind === 'refused') return undefined;
  return command.kind === 'git' ? `git-${command.service}` : 'git-lfs-authenticate';
}
