import {
  getCapacityProvider,
  listCapacityProviders,
  createCapacityProvider,
  deleteCapacityProvider,
  updateCapacityProvider,
  listFunctionVersionsByCapacityProvider,
} from '#functions-contract/operations/capacity-providers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { pageOf, readMarker, readNumberMarker } from '../json/paging.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';
import { listProvidedVersions } from './capacity-provider-store.ts';

/** Capacity providers. */
export const capacityProviderRoutes: readonly CreateHandler[] = [
  serveGetCapacityProvider,
  serveListCapacityProviders,
  serveCreateCapacityProvider,
  serveUpdateCapacityProvider,
  serveDeleteCapacityProvider,
  serveListFunctionVersionsByCapacityProvider,
];

type Output = StructureOf<(typeof getCapacityProvider)['output']>;

type Listed = StructureOf<(typeof listCapacityProviders)['output']>;

function serveGetCapacityProvider({ configured, settings }: FunctionPorts): OperationHandler {
  return bindOperation(getCapacityProvider, async ({ CapacityProviderName }): Promise<Output> => {
    const arn = await configuredProvider(CapacityProviderName, settings, configured);
    return { CapacityProvider: representProvider(arn) };
  });
}

/** Every configured capacity provider is active. */
function serveListCapacityProviders({ configured }: FunctionPorts): OperationHandler {
  return bindOperation(
    listCapacityProviders,
    async ({ State, Marker, MaxItems }): Promise<Listed> => {
      const [after = ''] = readMarker(Marker);
      await configured.refresh?.();
      const shown = State === undefined || State === 'Active';
      const arns = shown ? [...configured.capacityProviders.keys()].toSorted() : [];
      const page = await pageOf(
        MaxItems,
        async (limit) => arns.filter((arn) => arn > after).slice(0, limit),
        (last) => [last],
      );
      const CapacityProviders = page.items.map(representProvider);
      return page.marker === undefined
        ? { CapacityProviders }
        : { CapacityProviders, NextMarker: page.marker };
    },
  );
}

function representProvider(arn: string): NonNullable<Output['CapacityProvider']> {
  return { CapacityProviderArn: arn, State: 'Active' };
}

function serveCreateCapacityProvider(): OperationHandler {
  return bindOperation(createCapacityProvider, async () => {
    throw configuredOnly();
  });
}

function serveUpdateCapacityProvider(ports: FunctionPorts): OperationHandler {
  return bindOperation(updateCapacityProvider, ({ CapacityProviderName }) =>
    refuse(ports, CapacityProviderName),
  );
}

function serveDeleteCapacityProvider(ports: FunctionPorts): OperationHandler {
  return bindOperation(deleteCapacityProvider, ({ CapacityProviderName }) =>
    refuse(ports, CapacityProviderName),
  );
}

async function refuse({ configured, settings }: FunctionPorts, name: string): Promise<never> {
  await configuredProvider(name, settings, configured);
  throw configuredOnly();
}

type ListFunctionVersionsByCapacityProviderOutput = StructureOf<
  (typeof listFunctionVersionsByCapacityProvider)['output']
>;

function serveListFunctionVersionsByCapacityProvider(ports: FunctionPorts): OperationHandler {
  const { database, settings, configured } = ports;
  return bindOperation(
    listFunctionVersionsByCapacityProvider,
    async (input): Promise<ListFunctionVersionsByCapacityProviderOutput> => {
      const arn = await configuredProvider(input.CapacityProviderName, settings, configured);
      const after = readNumberMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) => database.read((sql) => listProvidedVersions(sql, arn, after, limit)),
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

/** The ARN of a configured capacity provider, by its name or ARN. */
async function configuredProvider(
  nameOrArn: string,
  accountRegion: AccountRegion,
  { capacityProviders, refresh }: ConfiguredResources,
): Promise<string> {
  await refresh?.();
  const arn = nameOrArn.startsWith('arn:')
    ? nameOrArn
    : `arn:aws:lambda:${accountRegion.region}:${accountRegion.accountId}:capacity-provider:${nameOrArn}`;
  if (capacityProviders.has(arn)) return arn;
  throw new FunctionsError('ResourceNotFoundException', `Capacity provider not found: ${arn}`);
}

function configuredOnly(): FunctionsError {
  return invalidParameter(
    'Capacity providers are declared by the operator of this server. This operation is not supported.',
  );
}
