import type { Socket } from 'node:net';

import type { FunctionCaller } from '#platform/function-caller.ts';

import type { Launcher } from '../launcher/launcher.ts';

/** Serves HTTP on the connections that programs make inside their sandboxes. */
export interface SandboxServer {
  /** False where the base URL is HTTPS and the server has no certificate: a proxy in front of it has. */
  readonly servesBaseUrl: boolean;
  /** The certificate (PEM) of the private authority that clients must trust; undefined: they know the authority. */
  readonly authority: string | undefined;
  accept(socket: Socket, client: SandboxClient): void;
  /**
   * From now on what a program sends to the server's own port continues its chain of requests: a program that shares the
   * network of the host. Returns what ends it.
   */
  recognise(program: SharingProgram): () => void;
}

/** An environment that shares the network of the host. */
export interface SharingProgram extends Pick<SandboxClient, 'lineage'> {
  /** Of its sandbox. */
  readonly id: string;
  /** Of any program's sandbox. */
  readonly ownersOf: Launcher['ownersOf'];
}

/** An environment, as the sender of requests. */
export interface SandboxClient extends FunctionCaller {
  /** An IPv6 address that no network has: its first 64 bits stand for the function, the others for the environment. */
  readonly address: string;
  /** Whether the program connected to the base URL, and so speaks TLS if that is HTTPS. */
  readonly atBaseUrl: boolean;
  /** The chain of requests that the program continues. */
  lineage(): string;
}
