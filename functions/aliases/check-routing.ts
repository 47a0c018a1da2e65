import type { Sql } from '#platform/database/database.ts';

import { functionNotFound } from '../versions/find-function.ts';
import { readVersionName, versionName } from '../configuration/function-record.ts';
import { findVersion } from '../configuration/function-store.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import type { Site } from '../model/function-name.ts';
import type { WeightedVersion } from '../model/alias.ts';

export interface RoutingConfig {
  readonly AdditionalVersionWeights?: Readonly<Record<string, number>>;
}

/** The second version of a routing; none where it is empty. */
export function readRouting(routing: RoutingConfig | undefined): WeightedVersion | undefined {
  const weights = Object.entries(routing?.AdditionalVersionWeights ?? {});
  if (weights.length > 1) {
    throw invalidParameter('Number of items in AdditionalVersionWeights cannot be greater than 1');
  }
  const [first] = weights;
  return first && { number: readVersionName(first[0]), weight: first[1] };
}

/** Refuses versions to which an alias cannot point; checks last whether they exist. */
export async function checkRouting(
  sql: Sql,
  site: Site,
  functionName: string,
  number: number,
  other: WeightedVersion | undefined,
): Promise<void> {
  if (other && number === 0) {
    throw invalidParameter(
      '$LATEST is not supported for an alias pointing to more than 1 version',
      { withoutFault: true },
    );
  }
  if (other?.number === number) {
    throw invalidParameter(
      `Invalid function version ${number}. Function version ${number} is already included in routing configuration.`,
    );
  }
  for (const wanted of other ? [number, other.number] : [number]) {
    if (await findVersion(sql, functionName, wanted)) continue;
    // No version has the number 0, nor one past all numbers.
    throw functionNotFound(site, functionName, wanted < 0 ? '0' : versionName(wanted));
  }
}
