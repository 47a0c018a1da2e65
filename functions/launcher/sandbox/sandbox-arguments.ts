import type { RootStep } from './sandbox-root.ts';

/** A program, and what a sandbox needs to start it; paths are those of the launcher's mount namespace. */
export interface SandboxedProgram {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly root: readonly RootStep[];
  /** A loopback made for this start, or what the starter is in. */
  readonly network: 'new' | 'as-is';
  readonly memoryMiB: number;
  /** The number of the user and group that the program sees itself as. */
  readonly user: number;
  readonly filtered: boolean;
}

/** Shared memory counts as memory; where nothing counts it, it must be small. */
export const sharedMemoryMiBMax = 64;
