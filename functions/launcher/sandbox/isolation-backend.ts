import type { CgroupHierarchy } from '../cgroups/cgroup.ts';
import type { InternetTools } from '../network/internet.ts';
import type { ServiceAddress } from '../launcher.ts';
import type { NamespaceThread } from '../network/namespace-thread.ts';
import type { HostTools } from '../process/host-tools.ts';
import type { BindMountCache } from '../storage/bind-mount-cache.ts';
import type { ShellSandboxTools } from './shell-sandbox.ts';
import type { TemporaryStorage } from '../storage/temporary-storage.ts';
import type { UserRange } from '../process/users.ts';

/** The mechanisms that the launcher uses on this host, one for each kind of isolation. */
export interface IsolationBackend {
  readonly sandbox: SandboxBackend;
  /** Absent where groups that limit memory cannot be made. */
  readonly cgroups?: CgroupHierarchy;
  readonly storageKind: 'image' | 'memory' | 'folder';
  readonly storage: TemporaryStorage;
  /** Starts a command as the user with a given id, which no other process has; absent where we cannot change user. */
  readonly setpriv?: string;
  /** Present where `setpriv` is. */
  readonly users?: UserRange;
  /** A group of all programs, where they need it to traverse the server's own directories to their files. */
  readonly group?: number;
  /** Absent where networks cannot be made, or would have no loopback. */
  readonly loopbackUp?: string;
  /** Present where sandboxes have the service's address on their own loopback. */
  readonly service?: ServiceAddress;
  /** Absent where there are no network namespaces, and where programs make them. */
  readonly namespaceThread?: NamespaceThread;
  /** Present where sandboxes can reach public addresses. */
  readonly internet?: InternetTools;
  readonly reachable: BindMountCache;
  readonly tools: HostTools & { readonly sh: string };
  /** The directory for the files of sandboxes. */
  readonly folder: string;
}

export type SandboxBackend =
  | {
      readonly kind: 'bubblewrap';
      readonly bwrap: string;
      /** The system call filter's file; absent on an architecture that we have none for. */
      readonly filter?: string;
    }
  | { readonly kind: 'shell'; readonly tools: ShellSandboxTools }
  | { readonly kind: 'none' };
