import type { Sql, Database } from '#platform/database/database.ts';

import { FunctionsError, invalidParameter, noSuchResource } from '../errors/functions-error.ts';
import type { AccountRegion } from '../model/function-name.ts';
import { findLayerVersion } from './layer-store.ts';
import {
  layerArn,
  layerNameOf,
  layerVersionArn,
  type LayerVersion,
  readLayerVersionArn,
} from './layer.ts';

/** A version as a path names it. */
interface NamedVersion {
  readonly LayerName: string;
  readonly VersionNumber: number;
}

export function checkVersionNumber({ VersionNumber }: NamedVersion): void {
  if (VersionNumber < 1) throw invalidParameter('Layer Version Cannot be less than 1');
}

/** A layer's name, or undefined for the ARN of another account or region. */
export function ownLayerName(nameOrArn: string, accountRegion: AccountRegion): string | undefined {
  const name = layerNameOf(nameOrArn);
  return nameOrArn === name || nameOrArn === layerArn(accountRegion, name) ? name : undefined;
}

/** A version that exists and is not deleted; the caller refuses otherwise. */
async function findOwnLayer(
  sql: Sql,
  accountRegion: AccountRegion,
  { LayerName, VersionNumber }: NamedVersion,
): Promise<LayerVersion | undefined> {
  const name = ownLayerName(LayerName, accountRegion);
  const layer = name === undefined ? undefined : await findLayerVersion(sql, name, VersionNumber);
  return layer?.deleted === false ? layer : undefined;
}

export async function findLayerOrRefuse(
  sql: Sql,
  accountRegion: AccountRegion,
  named: NamedVersion,
): Promise<LayerVersion> {
  checkVersionNumber(named);
  const layer = await findOwnLayer(sql, accountRegion, named);
  if (!layer) throw noSuchResource();
  return layer;
}

/** The same, with the errors of the operations on policies. */
export async function findPolicyLayer(
  sql: Sql,
  accountRegion: AccountRegion,
  named: NamedVersion,
): Promise<LayerVersion> {
  const layer = await findOwnLayer(sql, accountRegion, named);
  if (layer) return layer;
  const arn = layerVersionArn(accountRegion, layerNameOf(named.LayerName), named.VersionNumber);
  throw new FunctionsError('ResourceNotFoundException', `Layer version ${arn} does not exist.`);
}

/** What a function's configuration needs to know of the layers that it names. */
export interface LayerLookup {
  /** Those of the ARNs that exist. A version that was deleted exists only for a function that has it already. */
  find(
    arns: readonly string[],
    has?: readonly string[],
  ): Promise<ReadonlyMap<string, LayerContent>>;
}

interface LayerContent {
  /** Bytes of the archive. */
  readonly codeSize: number;
  readonly unzippedSize: number;
  /** Hex; of the archive. */
  readonly sha256: string;
}

export function createLayerLookup(database: Database, accountRegion: AccountRegion): LayerLookup {
  return {
    async find(arns, has = []) {
      const found = new Map<string, LayerContent>();
      if (arns.length === 0) return found;
      await database.read(async (sql) => {
        for (const arn of arns) {
          const named = readLayerVersionArn(arn);
          if (named?.region !== accountRegion.region || named.accountId !== accountRegion.accountId)
            continue;
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
