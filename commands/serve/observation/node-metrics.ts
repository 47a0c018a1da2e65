import type { Registry } from 'prom-client';

import { counter, gauge } from './read-metric.ts';

/** What a node of a cluster sees of the cluster. */
export interface NodeStatistics {
  live(): { readonly length: number };
  /** Whether this node has the default shard. */
  owns(): boolean;
  /** All shards by name, and whether this node has each. */
  shards(): Iterable<readonly [string, boolean]>;
  /** Of this node; undefined before it has joined. */
  lease(): { readonly remainingSeconds: number; readonly failures: number } | undefined;
}

export function readNodes(registry: Registry, nodes: NodeStatistics): void {
  gauge(registry, {
    name: 'hob_nodes',
    help: 'Nodes of the cluster that take requests, as this one sees them',
    read: () => nodes.live().length,
  });
  gauge(registry, {
    name: 'hob_node_has_repositories',
    help: 'Whether this node has the default shard: 1 on one node of the cluster',
    read: () => (nodes.owns() ? 1 : 0),
  });
  gauge(registry, {
    name: 'hob_node_has_shard',
    help: 'Whether this node has the shard of repositories: 1 on one node of the cluster for each',
    label: 'shard',
    read: () => [...nodes.shards()].map(([name, owns]) => [name, owns ? 1 : 0] as const),
  });
  gauge(registry, {
    name: 'hob_lease_remaining_seconds',
    help: 'Time after which this node ends itself unless it renews its lease; others take over then',
    read: () => nodes.lease()?.remainingSeconds ?? 0,
  });
  counter(registry, {
    name: 'hob_lease_failures_total',
    help: 'Renewals of the lease of this node that failed',
    read: () => nodes.lease()?.failures ?? 0,
  });
}
