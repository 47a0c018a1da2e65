import { type getAlias, listAliases } from '#functions-contract/operations/aliases.ts';
import {
  getFunctionConfiguration,
  listVersionsByFunction,
} from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { writeMarker } from '../../json/paging.ts';
import { numberBeforeNewest } from '../../versions/newest-versions-store.ts';
import type { ConsoleContext } from '../kit/console-context.ts';
import type { FunctionConfiguration } from './function-head.ts';

/** Versions, and aliases, that a page offers to choose from. */
const choicesMax = 100;

/** Versions that a page shows, the newest. */
export const versionsMax = 1000;

/** Aliases that a page shows. */
export const aliasesMax = 1000;

type Alias = StructureOf<(typeof getAlias)['output']>;

/** The unpublished version of the function of a page. */
export async function loadConfiguration({
  run,
  path,
}: ConsoleContext): Promise<FunctionConfiguration> {
  return run(getFunctionConfiguration)({ FunctionName: path['name'] ?? '' });
}

/** What can be named to invoke a function: $LATEST, its aliases, and its versions. */
export async function loadQualifiers(context: ConsoleContext): Promise<readonly string[]> {
  return ['$LATEST', ...(await loadAliases(context)), ...(await loadVersions(context))];
}

export async function loadAliases(context: ConsoleContext): Promise<readonly string[]> {
  const aliases = await loadListedAliases(context, choicesMax);
  return aliases.map(({ Name = '' }) => Name);
}

/** The aliases in the order of their names. */
export async function loadListedAliases(
  { run, path }: ConsoleContext,
  most = aliasesMax,
): Promise<readonly Alias[]> {
  const aliases: Alias[] = [];
  let marker: string | undefined;
  do {
    const { Aliases = [], NextMarker } = await run(listAliases)({
      FunctionName: path['name'] ?? '',
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    aliases.push(...Aliases);
    marker = NextMarker;
  } while (marker !== undefined && aliases.length < most);
  return aliases.slice(0, most);
}

/** The names of the newest published versions, the newest first. */
export async function loadVersions(context: ConsoleContext): Promise<readonly string[]> {
  const versions = await loadPublished(context, choicesMax);
  return versions.map(({ Version = '' }) => Version);
}

/** The newest published versions, the newest first. */
export async function loadPublished(
  { run, path, ports }: ConsoleContext,
  most = versionsMax,
): Promise<readonly FunctionConfiguration[]> {
  const FunctionName = path['name'] ?? '';
  const before = await ports.database.read((sql) => numberBeforeNewest(sql, FunctionName, most));
  const versions: FunctionConfiguration[] = [];
  let marker: string | undefined = writeMarker([String(before)]);
  do {
    const { Versions = [], NextMarker } = await run(listVersionsByFunction)({
      FunctionName,
      MaxItems: most,
      Marker: marker,
    });
    versions.push(...Versions);
    marker = NextMarker;
  } while (marker !== undefined && versions.length < most);
  return versions.toReversed();
}
