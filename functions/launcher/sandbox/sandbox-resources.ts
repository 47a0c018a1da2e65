import type { Mount, SandboxSpec } from '../launcher.ts';
import type { NetworkNamespace } from '../network/network-namespace.ts';
import type { StorageFolder } from '../storage/temporary-storage.ts';
import type { RootfsEntry } from './sandbox-root.ts';

/** What starting a program in a sandbox needs to know about it. */
export interface SandboxResources {
  readonly spec: SandboxSpec;
  /** The sandbox's own user on the host; undefined where programs run as the server's user. */
  readonly user: number | undefined;
  readonly storage: StorageFolder;
  /** The same mounts, from paths that the sandbox's user may traverse. */
  readonly mounts: readonly Mount[];
  readonly image: string | undefined;
  /** Paths of the sandbox's own files of `/etc`, by name. */
  readonly etc: Readonly<Record<string, string>>;
  /** Created when first needed. */
  namespace: NetworkNamespace | undefined;
}

/** The user id that programs see inside, whatever it is on the host. */
export const userInside = 993;

/** A program, and what a sandbox needs to start it; paths are those of the launcher's mount namespace. */
export interface SandboxedProgram {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly root: readonly RootfsEntry[];
  /** A loopback made for this start, or what the starter is in. */
  readonly network: 'new' | 'as-is';
  readonly memoryMiB: number;
  /** The number of the user and group that the program sees itself as. */
  readonly user: number;
  readonly filtered: boolean;
}

/**
 * Shared memory (`/dev/shm`) of a function, and no more than its memory. It counts as memory; where nothing counts it, it must
 * be small.
 */
export const sharedMemoryMiBMax = 64;
