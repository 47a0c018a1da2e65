import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { parseConfiguredResources } from '../configured-resources/read-configured-resources.ts';
import { checkHostAccess, type HostAccess } from './host-access.ts';
import { type ServiceKey, retryAfterKeyRotation } from '../keys/service-key.ts';
import {
  countResources,
  declarationContext,
  deleteResource,
  listResources,
  listUsers,
  storeResource,
} from './added-resource-store.ts';
import { resourceKinds, type ResourceName } from '../configured-resources/resource-kinds.ts';

/** Declaration of an added resource. */
const declarationBytesMax = 65_536;

/** Added resources, which are all read whenever one of them changes. */
const addedResourcesMax = 1000;

/** Users of a resource that the refusal of its removal names. */
const usersShownMax = 10;

/** The declaration of one entry, in the form of the operator's file. */
export function parseDeclaration({ kind, name }: ResourceName, text: string): ConfiguredResources {
  if (!/^[!-~]{1,256}$/.test(name)) {
    throw new OperatorError('The name of a resource is an id or an ARN of at most 256 characters.');
  }
  if (Buffer.byteLength(text) > declarationBytesMax) {
    throw new OperatorError(`The declaration has more than ${declarationBytesMax} bytes.`);
  }
  const file = `{${JSON.stringify(resourceKinds[kind])}:{${JSON.stringify(name)}:${text}\n}}`;
  const parsed = parseConfiguredResources(file, 'The declaration');
  // Text that ends the object early would declare something else.
  const entries = Object.values(resourceKinds).flatMap((map) => [...parsed[map].keys()]);
  if (entries.length === 1 && parsed[resourceKinds[kind]].has(name)) return parsed;
  throw new OperatorError('The declaration is not one object.');
}

/** Adds an entry, or replaces the one that was added under its name; a running server uses it from then on. */
export async function addResource(
  {
    database,
    clock,
    serviceKey,
  }: { readonly database: Database; readonly clock: Clock; readonly serviceKey: ServiceKey },
  named: ResourceName,
  text: string,
  file: ConfiguredResources,
  access: HostAccess,
): Promise<void> {
  const parsed = parseDeclaration(named, text);
  if (file[resourceKinds[named.kind]].has(named.name)) throw inFile(named);
  await checkHostAccess(parsed, access);
  await retryAfterKeyRotation(serviceKey, async () => {
    const sealed = serviceKey.seal(Buffer.from(text), declarationContext(named));
    await database.write(async (sql) => {
      if ((await countResources(sql)) >= addedResourcesMax) {
        throw new OperatorError(
          `At most ${addedResourcesMax} resources can be added. Declare more in the file of HOB_RESOURCES.`,
        );
      }
      await storeResource(sql, { ...named, sealedDeclaration: sealed }, clock.now());
    });
  });
}

/** Removes an entry that was added, unless functions use it. */
export async function removeResource(
  { database }: { readonly database: Database },
  named: ResourceName,
  file: ConfiguredResources,
): Promise<void> {
  if (file[resourceKinds[named.kind]].has(named.name)) throw inFile(named);
  await database.write(async (sql) => {
    const users = await listUsers(sql, named, usersShownMax + 1);
    if (users.length > 0) {
      const more = users.length > usersShownMax ? ' and others' : '';
      throw new OperatorError(
        `The ${named.kind} ${named.name} is in use by ${users.slice(0, usersShownMax).join(', ')}${more}. Remove it from their configurations first.`,
      );
    }
    if (await deleteResource(sql, named)) return;
    throw new OperatorError(`There is no ${named.kind} ${named.name}.`);
  });
}

export interface ListedResource extends ResourceName {
  readonly origin: 'file' | 'added';
}

/** Every entry, those of the file first. */
export async function resourcesOf(
  { database }: { readonly database: Database },
  file: ConfiguredResources,
): Promise<readonly ListedResource[]> {
  const added = await database.read(listResources);
  return [
    ...kinds.flatMap((kind) =>
      [...file[resourceKinds[kind]].keys()].map(
        (name) => ({ kind, name, origin: 'file' }) as const,
      ),
    ),
    ...added
      .filter(({ kind, name }) => !file[resourceKinds[kind]].has(name))
      .map(({ kind, name }) => ({ kind, name, origin: 'added' }) as const),
  ];
}

const kinds = ['subnet', 'security-group', 'access-point', 'target', 'capacity-provider'] as const;

function inFile({ kind, name }: ResourceName): OperatorError {
  return new OperatorError(
    `The ${kind} ${name} is declared in the file of HOB_RESOURCES. Change the file and restart the server.`,
  );
}
