import { dirname, resolve } from 'node:path';

import { OperatorError } from '#platform/operator-error.ts';
import { contains, realPath } from '#platform/real-path.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';

/** What an added resource may open of the host. */
export interface HostAccess {
  /** Never part of a resource. */
  readonly dataDirectory: string;
  /** What site administrators may name on the page; undefined for commands, which run as the operator. */
  readonly shared: SharedWithPages | undefined;
}

export interface SharedWithPages {
  /** Absolute and normalized. */
  readonly sharedFolders: readonly string[];
  /** `host:port`, in lower case. */
  readonly sharedHosts: readonly string[];
}

/** Refuses a resource that opens more of the host than its author may share: promotion to site administrator is no login on the host. */
export async function checkHostAccess(
  resources: ConfiguredResources,
  { dataDirectory, shared }: HostAccess,
): Promise<void> {
  const folders = foldersOf(resources);
  if (shared) {
    for (const folder of folders) requireSharedFolder(folder, shared.sharedFolders);
    for (const host of hostsOf(resources)) requireSharedHost(host, shared.sharedHosts);
  }
  const data = await realPath(resolve(dataDirectory));
  for (const folder of folders) {
    // "link/.." is one folder for the kernel and another for those that normalize paths.
    for (const path of [folder, resolve(folder)]) {
      const real = await realPath(path);
      if (contains(real, data) || contains(data, real)) {
        throw new OperatorError(
          `The folder ${folder} contains the data directory or is in it, which functions may not share.`,
        );
      }
    }
  }
}

/** Only a child: functions write below it, but cannot replace a part of its path by a link. */
function requireSharedFolder(folder: string, sharedFolders: readonly string[]): void {
  if (resolve(folder) === folder && folder !== '/' && sharedFolders.includes(dirname(folder))) {
    return;
  }
  throw new OperatorError(
    `The page may name only folders that are directly in a folder of HOB_SHARED_FOLDERS, which is ${listed(sharedFolders)}; ${folder} is not. Set it, or run hob admin add-resource.`,
  );
}

/** As the operator wrote it: a name of which the administrator holds the DNS could lead to loopback later. */
function requireSharedHost(host: string, sharedHosts: readonly string[]): void {
  if (sharedHosts.includes(host.toLowerCase())) return;
  throw new OperatorError(
    `The page may name only hosts of HOB_SHARED_HOSTS, which is ${listed(sharedHosts)}; ${host} is not one. Set it, or run hob admin add-resource.`,
  );
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? 'not set' : values.join(',');
}

function foldersOf({ accessPoints, targets }: ConfiguredResources): string[] {
  return [
    ...[...accessPoints.values()].map(({ folder }) => folder),
    ...[...targets.values()].flatMap((target) => (target.kind === 'folder' ? target.folder : [])),
  ];
}

function hostsOf({ subnets, targets }: ConfiguredResources): string[] {
  return [
    ...[...subnets.values()].flatMap(({ reaches }) => reaches.map(({ at }) => at)),
    ...[...targets.values()].flatMap((target) =>
      target.kind === 'folder' ? [] : hostOf(new URL(target.url)),
    ),
  ];
}

function hostOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
