import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import { present } from '#platform/present.ts';
import type { Random } from '#platform/random.ts';

import { accessKeySecrets } from './access-keys/access-key-store.ts';
import { createSessionTokens, type SessionTokens } from './access-keys/session-tokens.ts';
import { openAuditLog } from './audit/audit-log.ts';
import type { ArchivesLocation } from './code/archives/archives-location.ts';
import { openCodeFiles } from './code/code-files.ts';
import { createCodeStorageQuota } from './code/code-storage-quota.ts';
import { measureCode } from './code/code-store.ts';
import { openImages } from './code/images/images.ts';
import type { ObjectEndpoint } from './code/objects/object-store.ts';
import type { RepositoryCode } from './code/objects/repository-objects.ts';
import { openArchives } from './code/open-archives.ts';
import { resourceDeclarations } from './added-resources/added-resource-store.ts';
import { functionVariables } from './configuration/variables-store.ts';
import type { FunctionPorts } from './http/call.ts';
import { forgetGoneKeys } from './keys/administer-keys.ts';
import { createKeyRing } from './keys/key-ring.ts';
import { keyMaterials } from './keys/key-store.ts';
import { finishRotation, type SealedColumn } from './keys/rotate-service-key.ts';
import { openServiceKey } from './keys/service-key.ts';
import type { IsolationTier } from './launcher/isolation.ts';
import { openMergedLayers, type MergedLayers } from './layers/merge-layers.ts';
import { openLogStreams, type LogStreams } from './logs/log-streams.ts';
import type { DeployedBranches } from './ports/deployed-branches.ts';
import type { FunctionHolds } from './ports/function-holds.ts';
import type { HomeNodes } from './ports/home-nodes.ts';
import type { FunctionNetwork } from './ports/function-network.ts';
import type { SandboxServer } from './ports/sandbox-server.ts';
import type { FunctionSettings } from './ports/system-ports.ts';

/** The folder of all log groups. */
export const logsName = 'logs';

/** What outlives the program. */
export type PersistentParts = Pick<
  FunctionPorts,
  'serviceKey' | 'keys' | 'audit' | 'code' | 'codeStorage' | 'images'
> & {
  readonly logs: LogStreams;
  readonly mergedLayers: MergedLayers;
  readonly sessions: SessionTokens;
};

export async function openPersistentParts(
  { database, clock, random, log, serverId, checkStores }: FunctionServicePorts,
  settings: FunctionSettings,
  { folder, sharedFolder, imagesFolder, codeLocation }: FunctionStart,
  closers: (() => Promise<void>)[],
): Promise<PersistentParts> {
  const isShared = sharedFolder !== undefined;
  const keyPorts = { database, clock, random, folder: sharedFolder ?? folder };
  if (await finishRotation(keyPorts, sealedColumns))
    log.info({}, 'finished an interrupted rotation of the service key');
  const serviceKey = await openServiceKey(keyPorts);
  await forgetGoneKeys({ database, clock });
  const onLost = (err: unknown, lines: string): void =>
    log.error({ err, lines }, 'writing to the audit log failed');
  const server = { id: serverId, host: hostname() };
  const audit = await openAuditLog({ path: join(folder, 'audit.log'), clock, server, onLost });
  closers.push(() => audit.close());
  const logs = openLogStreams({
    folder: join(sharedFolder ?? folder, logsName),
    isShared,
    onError: (err, group) => log.error({ err, group }, 'writing function logs failed'),
  });
  closers.push(() => logs.close());
  const location = codeLocation;
  const archivePorts = { database, random, log, ...present({ checkStores }) };
  const shared = await openArchives(archivePorts, { folder, sharedFolder, location });
  closers.push(async () => shared?.close());
  const code = await openCodeFiles(join(folder, 'code'), present({ shared }));
  return {
    serviceKey,
    audit,
    logs,
    keys: createKeyRing({ database, clock, random, serviceKey, accountRegion: settings }),
    sessions: createSessionTokens({ clock, random, serviceKey }),
    code,
    mergedLayers: await openMergedLayers(join(folder, 'layers'), code),
    codeStorage: createCodeStorageQuota(
      settings.codeBytesMax,
      () => database.read(measureCode),
      isShared,
    ),
    images: await openImages(join(folder, 'images'), imagesFolder),
  };
}

/** All columns with texts encrypted with the service key. */
export const sealedColumns: readonly SealedColumn[] = [
  keyMaterials,
  accessKeySecrets,
  functionVariables,
  resourceDeclarations,
];

/** The settings to start the service, in addition to FunctionSettings. */
export interface FunctionStart {
  /** Of the whole server. */
  readonly dataDirectory: string;
  /** Everything of the service that outlives the program is in here. */
  readonly folder: string;
  /** Of that, what all servers of the installation share: archives of code, logs, the service key. Undefined for a single server. */
  readonly sharedFolder: string | undefined;
  /** Where archives of code are instead. */
  readonly codeLocation: ArchivesLocation | undefined;
  /** For Unix sockets: the path of one is short. */
  readonly socketsFolder: string;
  /** Directories of the server that are closed to other users, on the path to `folder` and `socketsFolder`. */
  readonly ownFolders: readonly string[];
  /** The host's search path for programs. */
  readonly searchPath: string;
  /** Runtime to program: overrides what is found on the host. */
  readonly runtimePrograms: Readonly<Record<string, string>>;
  /** Folder of buckets, or an endpoint that has them. */
  readonly objects: { readonly folder: string } | ObjectEndpoint | undefined;
  /** Folder of OCI image layouts. */
  readonly imagesFolder: string | undefined;
  /** Days for which a log stream is retained after its last line; 0: until its group is full. */
  readonly logDays: number;
  /** Of functions without a VPC. */
  readonly network: FunctionNetwork;
  /** Whether they reach the forge and this service at the base URL. */
  readonly forge: boolean;
  /** Serves what they request inside their sandboxes. */
  readonly sandboxServer: SandboxServer;
  /** Runs functions even without any isolation from the host. */
  readonly insecureFunctions: boolean;
  /** The start fails on a host that provides less. */
  readonly requiredIsolation: IsolationTier | undefined;
}

export interface FunctionServicePorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly testHolds?: FunctionHolds | undefined;
  /** The same at every start with the same data folder. */
  readonly serverId: string;
  readonly homes: HomeNodes;
  /** Rejects if another node runs with another store of archives. */
  readonly checkStores?: () => Promise<void>;
  /** The forge's, as buckets for code. */
  readonly repositories: RepositoryCode | undefined;
  /** The forge's, whose pushes deploy functions. */
  readonly branches: DeployedBranches | undefined;
}
