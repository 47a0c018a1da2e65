import { vendor, vendorHeaderNames } from '#forge/json/vendor.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { releaseDeliveries } from '#forge/webhooks/delivery-claim-store.ts';
import { shownLocation } from '#functions/code/archives/archives-location.ts';
import { releaseFunctionClaims } from '#functions/release-claims.ts';
import type { Database } from '#platform/database/database.ts';
import { openDatabase } from '#platform/database/open-database.ts';

import { migrationsFolder, readVersion } from '../../../program-files.ts';
import type { GitShards } from '../shards/git-shards.ts';
import type { ServicesOptions } from '../start-services.ts';
import { Cluster } from './cluster.ts';
import { nodeHeader, nodeNumber } from './node-header.ts';
import type { PeerKeys } from './peers.ts';
import { type RepositoryLease, takeRepositoryLease } from './repository-lease.ts';

type Options = Pick<
  ServicesOptions,
  'settings' | 'data' | 'log' | 'clock' | 'processes' | 'listener'
>;

/** Undefined: the server is alone. */
export function clusterOf({
  settings,
  data,
  log,
  clock,
  processes,
  listener,
}: Options): Cluster | undefined {
  const { clusterGit: git } = processes;
  if (!settings.cluster || !git) return undefined;
  return new Cluster({
    log,
    git,
    serverId: data.serverId,
    address: settings.cluster.address,
    version: readVersion(),
    codeStore: shownStore({ settings }),
    answer: listener.answer,
    headerNames: vendorHeaderNames(vendor(settings.vendor)),
    onLost: endAtOnce,
    // Another node gets the repositories once this one has stopped.
    onFailure(err) {
      log.error({ err }, 'the git process does not start: this node stops');
      process.kill(process.pid, 'SIGTERM');
    },
    async releaseClaims(sql, serverId) {
      await releaseDeliveries(sql, serverId, clock.now());
      await releaseFunctionClaims(sql, serverId, clock.now());
    },
  });
}

function shownStore({ settings: { code } }: Pick<Options, 'settings'>): string | undefined {
  return code && shownLocation(code);
}

/** Its leases have a database of their own: a renewal must not wait behind the work of requests. */
export async function joinCluster(
  cluster: Cluster | undefined,
  keys: PeerKeys,
  options: Pick<Options, 'settings' | 'log'>,
  checkStores: () => Promise<void>,
): Promise<void> {
  if (!cluster) return;
  await cluster.join(keys, await databaseOf(options, 2));
  // Another node may have claimed a store since this one looked.
  await checkStores();
}

/** On PostgreSQL, where other servers may use the same database, only one that is alone may change the repositories. */
export async function leaseOf(
  options: Pick<Options, 'settings' | 'data' | 'log'>,
  { engine }: Database,
): Promise<RepositoryLease | undefined> {
  if (engine === 'sqlite') return undefined;
  return takeRepositoryLease({
    database: await databaseOf(options, 1),
    serverId: options.data.serverId,
    codeStore: shownStore(options),
    log: options.log,
    onLost: endAtOnce,
  });
}

/** Which shard new networks get, and which node has one; and fencing, in a cluster and where a server that is alone may lose the repositories to another. */
export function shardPorts(
  cluster: Cluster | undefined,
  lease: RepositoryLease | undefined,
  {
    shards,
    shardForNetwork,
  }: { readonly shards: GitShards; readonly shardForNetwork: () => number },
): Pick<Ports, 'ownerHeaders' | 'ownsShardOf' | 'pollShardOwners' | 'shardForNetwork'> {
  if (!cluster) return { shardForNetwork, ownsShardOf: lease?.ownsShardOf };
  return {
    shardForNetwork,
    ownsShardOf: (sql, repositoryId) => cluster.ownsShardOf(sql, repositoryId),
    pollShardOwners: () => cluster.poll(),
    async ownerHeaders(repositoryId) {
      const owner = cluster.otherOwnerOf(await shards.shardOf(repositoryId));
      return owner ? { [nodeHeader]: nodeNumber(owner) } : {};
    },
  };
}

/** Whatever is under way must not go on: the new owner recovers from it as from a crash. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function databaseOf(
  { settings, log }: Pick<Options, 'settings' | 'log'>,
  connectionsMax: number,
): Promise<Database> {
  if (settings.database === undefined) throw new Error('The database of others is not set.');
  const toleratesExpansions = settings.cluster !== undefined;
  const limits = { ...leaseLimits, connectionsMax, toleratesExpansions };
  return openDatabase(settings.database, { migrationsFolder, log, limits });
}

/**
 * PostgreSQL: statements that renew the lease of a node, as of other statements: a renewal that hangs ends while there is time
 * for another.
 */
const leaseLimits = {
  statementMilliseconds: 3000,
  timeouts: { statementMilliseconds: 3500, acquireMilliseconds: 3500, endMilliseconds: 5000 },
};
