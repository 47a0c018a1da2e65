import type { Sql } from '#platform/database/database.ts';

import { findFunction } from '../configuration/function-store.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { declarationHint } from '../configured-resources/resource-kinds.ts';
import { functionArn, readFunctionName, type AccountRegion } from '../model/function-name.ts';
import type { EventHandling } from './event.ts';

type Destinations = Pick<EventHandling, 'onSuccess' | 'onFailure'>;

/** Refuses destinations that cannot receive records (recorded answers). */
export async function checkDestinations(
  sql: Sql,
  destinations: Destinations,
  functionName: string,
  context: {
    readonly settings: AccountRegion;
    readonly configured: Pick<ConfiguredResources, 'targets'>;
  },
): Promise<void> {
  const { settings, configured } = context;
  for (const arn of [destinations.onSuccess, destinations.onFailure]) {
    if (arn === undefined) continue;
    const service = arn.split(':')[2] ?? '';
    if (!services.includes(service)) throw invalidConfig(destinations);
    if (service === 'lambda') await checkFunction(sql, arn, functionName, settings);
    else if (!configured.targets.has(arn))
      throw invalidArn(arn, ` ${declarationHint('target', arn)}`);
  }
}

const services: readonly string[] = ['lambda', 'sqs', 'sns', 'events'];

async function checkFunction(
  sql: Sql,
  arn: string,
  functionName: string,
  accountRegion: AccountRegion,
): Promise<void> {
  // A function of another account or region cannot be a destination.
  const prefix = functionArn(accountRegion, '');
  const ofThisSite = arn.startsWith(prefix) && nameAndQualifier.test(arn.slice(prefix.length));
  if (!ofThisSite) throw invalidArn(arn);
  const { name } = readFunctionName(arn, accountRegion);
  if (!(await findFunction(sql, name))) throw invalidArn(arn);
  if (name === functionName) {
    throw invalidParameter("You can't specify the function as a destination for itself.");
  }
}

const nameAndQualifier = /^[\w-]+(:(\$LATEST|[\w-]+))?$/;

function invalidArn(arn: string, remedy = ''): Error {
  return invalidParameter(`The destination ARN ${arn} is invalid.${remedy}`);
}

function invalidConfig({ onSuccess, onFailure }: Destinations): Error {
  return invalidParameter(
    `The provided destination config DestinationConfig(onSuccess=${shown('OnSuccess', onSuccess)}, onFailure=${shown('OnFailure', onFailure)}) is invalid.`,
  );
}

function shown(name: string, arn: string | undefined): string {
  return arn === undefined ? 'null' : `${name}(destination=${arn})`;
}
