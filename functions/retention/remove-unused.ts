import type { Database, Sql } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';

import type { CodeFiles } from '../code/code-files.ts';
import { forgetCodes, referencedArchives } from '../code/code-store.ts';
import type { Images } from '../code/images/images.ts';
import { codesOfLayers, deletedLayerVersions, dropLayerVersion } from '../layers/layer-store.ts';
import { readLayerVersionArn } from '../layers/layer.ts';
import type { MergedLayers } from '../layers/merge-layers.ts';
import type { HomeNodes } from '../ports/home-nodes.ts';
import {
  codesOfFunctions,
  removeConfiguration,
  layersOfFunctions,
  unusedConfigurations,
} from './configuration-use-store.ts';

export interface RetentionPorts {
  readonly database: Database;
  readonly log: Log;
  readonly code: CodeFiles;
  readonly images: Images;
  readonly mergedLayers: MergedLayers;
  readonly homes: Pick<HomeNodes, 'isHome'>;
  /** A monotonic clock in milliseconds; the process's own by default. */
  readonly elapsed?: () => number;
}

/**
 * Retention of former configurations, deleted layers, archives, images and merged layers that nothing names: an environment
 * that is being drained may still need one for its invocation, which takes 15 minutes at most.
 */
const unusedMilliseconds = 3_600_000;

/** What all servers share is removed by one of them: the one that would be the home of a function of this name. */
export const removalOfCode = 'removing unused code';

/** Removals of each kind of them in one run, every 20 minutes; the next one continues. */
const removalsMax = 200;

/**
 * Removes what no version of a function or layer references any more: former configurations, deleted layers that were still in use,
 * archives, unpacked code, merged layers and images. Ends early once `goesOn` answers false.
 */
export function createRemovalOfUnused(
  ports: RetentionPorts,
): (goesOn?: () => boolean) => Promise<void> {
  const { database, code, images, mergedLayers, homes, log } = ports;
  const { elapsed = () => performance.now() } = ports;
  const lapse = createLapse(elapsed, unusedMilliseconds);
  const over = (kind: string, unused: readonly string[]): ReadonlySet<string> =>
    lapse.ended(kind, unused, removalsMax);

  async function configurations(): Promise<number> {
    const unused = await database.read(unusedConfigurations);
    let removed = 0;
    for (const id of over('configurations', unused.map(String))) {
      if (await database.write((sql) => removeConfiguration(sql, Number(id)))) removed += 1;
    }
    return removed;
  }

  async function layerVersions(): Promise<number> {
    const { deleted, arns } = await database.read(async (sql) => ({
      deleted: await deletedLayerVersions(sql),
      arns: (await layersOfFunctions(sql)).arns,
    }));
    const used = new Set([...arns].map(versionIn));
    const unused = deleted.filter((one) => !used.has(versionOf(one)));
    const ids = over(
      'layer versions',
      unused.map(({ id }) => String(id)),
    );
    for (const id of ids) await database.write((sql) => dropLayerVersion(sql, Number(id)));
    return ids.size;
  }

  async function sharedArchives(): Promise<number> {
    await database.write(async (sql) => forgetCodes(sql, await codesOfLayers(sql), removalsMax));
    return code.pruneShared(keepingNamed('shared archives', referencedArchives));
  }

  /** The directories to retain: those that rows name now, and those that rows named until recently. */
  function keepingNamed(kind: string, namedIn: (sql: Sql) => Promise<Iterable<string>>) {
    return async (found: readonly string[]): Promise<ReadonlySet<string>> => {
      const named = new Set(await database.read(namedIn));
      const removed = over(
        kind,
        found.filter((name) => !named.has(name)),
      );
      return new Set(found.filter((name) => !removed.has(name)));
    };
  }

  return async (goesOn = () => true) => {
    // In this order: each names what the next ones may remove.
    const steps = {
      ...(homes.isHome(removalOfCode) && { configurations, layerVersions, sharedArchives }),
      archives: () => code.prune(keepingNamed('archives', referencedArchives)),
      images: () => images.prune(keepingNamed('images', codesOfFunctions)),
      mergedLayers: () =>
        mergedLayers.prune(
          async () => (await database.read(layersOfFunctions)).lists,
          (unnamed) => over('merged layers', unnamed),
        ),
    };
    const removed: Record<string, number> = {};
    const failed: string[] = [];
    for (const [kind, step] of Object.entries(steps)) {
      if (!goesOn()) break;
      try {
        removed[kind] = await step();
      } catch (error) {
        failed.push(kind);
        for (const err of error instanceof AggregateError ? error.errors : [error])
          log.error({ err, kind }, 'removing unused code failed; trying again later');
      }
    }
    if (Object.values(removed).some((count) => count > 0)) log.info(removed, 'removed unused code');
    // The task has failed, though nothing else was held up.
    if (failed.length > 0)
      throw new Error(`Not all unused code was removed: ${failed.join(', ')}.`);
  };
}

function versionIn(arn: string): string | undefined {
  const layer = readLayerVersionArn(arn);
  return layer && versionOf(layer);
}

function versionOf({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name} ${version}`;
}

/** Finds what has been unused for long enough, by periodic checks. */
interface Lapse {
  /**
   * Takes everything of a kind that is unused at this check. Returns what was unused at every check for the whole period, up to the
   * given number; the rest follows next time. The period starts again for what is returned, or was in use at a check.
   */
  ended(kind: string, unused: readonly string[], max: number): ReadonlySet<string>;
}

/** `elapsed` is monotonic: a step of the system clock would end periods too early or too late. */
function createLapse(elapsed: () => number, milliseconds: number): Lapse {
  const kinds = new Map<string, ReadonlyMap<string, number>>();
  return {
    ended(kind, unused, max) {
      const now = elapsed();
      const before = kinds.get(kind);
      const since = new Map(unused.map((name) => [name, before?.get(name) ?? now]));
      const over = unused.filter((name) => now - (since.get(name) ?? now) >= milliseconds);
      const answered = new Set(over.slice(0, max));
      for (const name of answered) since.delete(name);
      kinds.set(kind, since);
      return answered;
    },
  };
}
