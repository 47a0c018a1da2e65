import type { Sql } from '#platform/database/database.ts';

import { FunctionsError, invalidParameter, noSuchResource } from '../errors/functions-error.ts';
import type { Site } from '../model/function-name.ts';
import { layerArn, layerNameOf, layerVersionArn, type LayerVersion } from './layer.ts';
import { findLayerVersion } from './layer-store.ts';

/** A version as a path names it. */
export interface NamedVersion {
  readonly LayerName: string;
  readonly VersionNumber: number;
}

export function checkVersionNumber({ VersionNumber }: NamedVersion): void {
  if (VersionNumber < 1) throw invalidParameter('Layer Version Cannot be less than 1');
}

/** A layer's name, or undefined for the ARN of another account or region. */
export function ownLayerName(nameOrArn: string, site: Site): string | undefined {
  const name = layerNameOf(nameOrArn);
  return nameOrArn === name || nameOrArn === layerArn(site, name) ? name : undefined;
}

/** A version that exists and is not deleted; the caller refuses otherwise. */
export async function findOwnLayer(
  sql: Sql,
  site: Site,
  { LayerName, VersionNumber }: NamedVersion,
): Promise<LayerVersion | undefined> {
  const name = ownLayerName(LayerName, site);
  const layer = name === undefined ? undefined : await findLayerVersion(sql, name, VersionNumber);
  return layer?.deleted === false ? layer : undefined;
}

export async function findLayerOrRefuse(
  sql: Sql,
  site: Site,
  named: NamedVersion,
): Promise<LayerVersion> {
  checkVersionNumber(named);
  const layer = await findOwnLayer(sql, site, named);
  if (!layer) throw noSuchResource();
  return layer;
}

/** The same, with the errors of the operations on policies. */
export async function findPolicyLayer(
  sql: Sql,
  site: Site,
  named: NamedVersion,
): Promise<LayerVersion> {
  const layer = await findOwnLayer(sql, site, named);
  if (layer) return layer;
  const arn = layerVersionArn(site, layerNameOf(named.LayerName), named.VersionNumber);
  throw new FunctionsError('ResourceNotFoundException', `Layer version ${arn} does not exist.`);
}
