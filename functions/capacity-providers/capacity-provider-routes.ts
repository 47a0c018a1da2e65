import {
  getCapacityProvider,
  listCapacityProviders,
  createCapacityProvider,
  deleteCapacityProvider,
  updateCapacityProvider,
  listFunctionVersionsByCapacityProvider,
} from '#functions-contract/operations/capacity-providers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import type { DeclaredResources } from '../declared/declared-resources.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { serve, type ServedOperation, type OperationRoute } from '../http/call.ts';
import type { FunctionPorts } from '../http/function-ports.ts';
import { pageOf, readMarker } from '../json/paging.ts';
import { functionArn, type Site } from '../model/function-name.ts';
import { listProvidedVersions } from './capacity-provider-store.ts';

/** Capacity providers. */
export const capacityProviderRoutes: readonly OperationRoute[] = [
  serveGetCapacityProvider,
  serveListCapacityProviders,
  serveCreateCapacityProvider,
  serveUpdateCapacityProvider,
  serveDeleteCapacityProvider,
  serveListFunctionVersionsByCapacityProvider,
];

type Told = StructureOf<(typeof getCapacityProvider)['output']>;

type Listed = StructureOf<(typeof listCapacityProviders)['output']>;

function serveGetCapacityProvider({ declared, settings }: FunctionPorts): ServedOperation {
  return serve(getCapacityProvider, async ({ CapacityProviderName }): Promise<Told> => {
    const arn = declaredProvider(CapacityProviderName, settings, declared);
    return { CapacityProvider: representProvider(arn) };
  });
}

/** What is declared is there: every capacity provider is active. */
function serveListCapacityProviders({ declared }: FunctionPorts): ServedOperation {
  return serve(listCapacityProviders, async ({ State, Marker, MaxItems }): Promise<Listed> => {
    const [after = ''] = readMarker(Marker);
    const shown = State === undefined || State === 'Active';
    const arns = shown ? [...declared.capacityProviders.keys()].toSorted() : [];
    const page = await pageOf(
      MaxItems,
      async (limit) => arns.filter((arn) => arn > after).slice(0, limit),
      (last) => [last],
    );
    const CapacityProviders = page.items.map(representProvider);
    return page.marker === undefined
      ? { CapacityProviders }
      : { CapacityProviders, NextMarker: page.marker };
  });
}

function representProvider(arn: string): NonNullable<Told['CapacityProvider']> {
  return { CapacityProviderArn: arn, State: 'Active' };
}

function serveCreateCapacityProvider(): ServedOperation {
  return serve(createCapacityProvider, async () => {
    throw declaredOnly();
  });
}

function serveUpdateCapacityProvider(ports: FunctionPorts): ServedOperation {
  return serve(updateCapacityProvider, ({ CapacityProviderName }) =>
    refuse(ports, CapacityProviderName),
  );
}

function serveDeleteCapacityProvider(ports: FunctionPorts): ServedOperation {
  return serve(deleteCapacityProvider, ({ CapacityProviderName }) =>
    refuse(ports, CapacityProviderName),
  );
}

async function refuse({ declared, settings }: FunctionPorts, name: string): Promise<never> {
  declaredProvider(name, settings, declared);
  throw declaredOnly();
}

type ListFunctionVersionsByCapacityProviderOutput = StructureOf<
  (typeof listFunctionVersionsByCapacityProvider)['output']
>;

function serveListFunctionVersionsByCapacityProvider(ports: FunctionPorts): ServedOperation {
  const { database, settings, declared } = ports;
  return serve(
    listFunctionVersionsByCapacityProvider,
    async (input): Promise<ListFunctionVersionsByCapacityProviderOutput> => {
      const arn = declaredProvider(input.CapacityProviderName, settings, declared);
      const [after = '0'] = readMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) => database.read((sql) => listProvidedVersions(sql, arn, Number(after), limit)),
        ({ id }) => [String(id)],
      );
      const listed = {
        CapacityProviderArn: arn,
        FunctionVersions: page.items.map(({ functionName, version, state }) => ({
          FunctionArn: functionArn(settings, functionName, version),
          State: state,
        })),
      };
      return page.marker === undefined ? listed : { ...listed, NextMarker: page.marker };
    },
  );
}

/** The ARN of a capacity provider that the operator declared, by its name or ARN. */
function declaredProvider(
  nameOrArn: string,
  site: Site,
  { capacityProviders }: DeclaredResources,
): string {
  const arn = nameOrArn.startsWith('arn:')
    ? nameOrArn
    : `arn:aws:lambda:${site.region}:${site.accountId}:capacity-provider:${nameOrArn}`;
  if (capacityProviders.has(arn)) return arn;
  throw new FunctionsError('ResourceNotFoundException', `Capacity provider not found: ${arn}`);
}

function declaredOnly(): FunctionsError {
  return invalidParameter(
    'Capacity providers are declared by the operator of this server. This operation is not supported.',
  );
}
