import type { BlockList, Socket } from 'node:net';

/** The open port for git over SSH, which passes its connections to the server of the forge. */
export interface SshPort {
  readonly hostKeys: readonly SshHostKey[];
  /** Addresses behind which there are many clients: theirs are not counted by address. */
  readonly sharedAddresses: BlockList;
  serveWith(server: SshServer): void;
  /** Called with each command when it has ended. */
  commandEnded(command: SshCommandRecord): void;
}

/** A key by which clients recognize the server. */
export interface SshHostKey {
  /** `ssh-ed25519` or `ecdsa-sha2-nistp256`. */
  readonly algorithm: string;
  readonly privateKey: string;
  /** As in known_hosts, after the host. */
  readonly publicKey: string;
  /** SHA-256 in base64, as `ssh-keygen -l` shows it. */
  readonly fingerprint: string;
}

export interface SshServer {
  /** Serves a new connection. */
  accept(socket: Socket): void;
  /** Ends connections without a command at once, and the others when their commands have ended or the time is up. */
  close(drainMilliseconds: number): Promise<void>;
}

/** What the access log says of a command. */
export interface SshCommandRecord {
  readonly client: string;
  /** Of the key that signed in. */
  readonly fingerprint: string;
  /** Undefined for what is not a command of git. */
  readonly command: 'git-upload-pack' | 'git-receive-pack' | 'git-lfs-authenticate' | undefined;
  /** As the client named it. */
  readonly repository: string | undefined;
  /** Undefined: the client left first. */
  readonly exitStatus: number | undefined;
  readonly milliseconds: number;
}
