import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { ServiceKey } from '../keys/service-key.ts';
import { parseDeclaration } from './administer-resources.ts';
import { declarationContext, listResources, type StoredResource } from './added-resource-store.ts';

interface LivePorts {
  readonly database: Database;
  readonly serviceKey: Pick<ServiceKey, 'unseal'>;
  /** Gets entries that cannot be read; the others are used. */
  readonly log: Pick<Log, 'error'>;
}

/** The resources of the operator's file, and those that are added and removed meanwhile: the same maps, with other entries. */
export async function openLiveResources(
  { database, serviceKey, log }: LivePorts,
  file: ConfiguredResources,
): Promise<ConfiguredResources> {
  const subnets = new Map(file.subnets);
  const securityGroups = new Map(file.securityGroups);
  const accessPoints = new Map(file.accessPoints);
  const targets = new Map(file.targets);
  const capacityProviders = new Map(file.capacityProviders);
  let dataVersion: number | undefined;
  /** What the maps were made of. */
  let present = '';
  let last: Promise<void> = Promise.resolve();

  /** Undefined for what cannot be read, which is reported. */
  function parsed(stored: StoredResource): ConfiguredResources | undefined {
    try {
      const text = serviceKey.unseal(stored.sealedDeclaration, declarationContext(stored));
      if (text) return parseDeclaration(stored, text.toString());
      throw new Error('No key decrypts it.');
    } catch (err) {
      log.error({ err, kind: stored.kind, name: stored.name }, 'a configured resource is unusable');
      return undefined;
    }
  }

  async function load(): Promise<void> {
    const seen = database.dataVersion();
    const stored = await database.read(listResources);
    const next = JSON.stringify(stored);
    dataVersion = seen;
    if (next === present) return;
    present = next;
    // The file has the last word.
    const sources = [...stored.map(parsed).filter((each) => each !== undefined), file];
    refill(
      subnets,
      sources.map((each) => each.subnets),
    );
    refill(
      securityGroups,
      sources.map((each) => each.securityGroups),
    );
    refill(
      accessPoints,
      sources.map((each) => each.accessPoints),
    );
    refill(
      targets,
      sources.map((each) => each.targets),
    );
    refill(
      capacityProviders,
      sources.map((each) => each.capacityProviders),
    );
  }

  /** One after the other, so that an older state never replaces a newer one. */
  async function refresh(): Promise<void> {
    const now = database.dataVersion();
    if (now !== undefined && now === dataVersion) return;
    const before = last;
    const next = before.then(load, load);
    last = next;
    await next;
  }

  await refresh();
  const { traceCollector } = file;
  return {
    subnets,
    securityGroups,
    accessPoints,
    targets,
    capacityProviders,
    traceCollector,
    refresh,
  };
}

function refill<T>(map: Map<string, T>, sources: readonly ReadonlyMap<string, T>[]): void {
  map.clear();
  for (const source of sources) {
    for (const [name, value] of source) map.set(name, value);
  }
}
