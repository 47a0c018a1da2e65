import type { Database } from '#platform/database/database.ts';

import type { Site } from '../model/function-name.ts';
import { readLayerVersionArn } from './layer.ts';
import { findLayerVersion } from './layer-store.ts';

/** What a function's configuration needs to know of the layers that it names. */
export interface LayerLookup {
  /** Those of the ARNs that exist. A version that was deleted exists only for a function that has it already. */
  find(
    arns: readonly string[],
    has?: readonly string[],
  ): Promise<ReadonlyMap<string, LayerContent>>;
}

export interface LayerContent {
  /** Bytes of the archive. */
  readonly codeSize: number;
  readonly unzippedSize: number;
  /** Hex; of the archive. */
  readonly sha256: string;
}

export function createLayerLookup(database: Database, site: Site): LayerLookup {
  return {
    async find(arns, has = []) {
      const found = new Map<string, LayerContent>();
      if (arns.length === 0) return found;
      await database.read(async (sql) => {
        for (const arn of arns) {
          const named = readLayerVersionArn(arn);
          if (named?.region !== site.region || named.accountId !== site.accountId) continue;
          const layer = await findLayerVersion(sql, named.name, named.version);
          if (!layer || (layer.deleted && !has.includes(arn))) continue;
          const { size, unzippedSize, sha256 } = layer.content;
          found.set(arn, { codeSize: size, unzippedSize, sha256 });
        }
      });
      return found;
    },
  };
}
