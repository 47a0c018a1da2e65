import type { Mount, SandboxSpec } from '../launcher.ts';
import type { NetworkNamespace } from '../network/network-namespace.ts';
import type { StorageFolder } from '../storage/temporary-storage.ts';

/** All that a start in a place has to know of it. */
export interface OpenSandbox {
  readonly options: SandboxSpec;
  /** The place's own user on the host; undefined where programs run as ourselves. */
  readonly user: number | undefined;
  readonly storage: StorageFolder;
  /** The same mounts, from paths that the place's user may walk. */
  readonly mounts: readonly Mount[];
  readonly image: string | undefined;
  /** Paths of the place's own files of `/etc`, by name. */
  readonly etc: Readonly<Record<string, string>>;
  /** Made when the first need for it shows. */
  namespace: NetworkNamespace | undefined;
}

/** What programs see themselves as, whoever they are on the host. */
export const userInside = 993;
