import {
  getCapacityProvider,
  listCapacityProviders,
} from '#functions-contract/operations/capacity-providers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { declaredProvider } from '../declared-provider.ts';

type Told = StructureOf<(typeof getCapacityProvider)['output']>;
type Listed = StructureOf<(typeof listCapacityProviders)['output']>;

export function serveGetCapacityProvider({ declared, settings }: FunctionPorts): ServedOperation {
  return serve(getCapacityProvider, async ({ CapacityProviderName }): Promise<Told> => {
    const arn = declaredProvider(CapacityProviderName, settings, declared);
    return { CapacityProvider: representProvider(arn) };
  });
}

/** What is declared is there: every capacity provider is active. */
export function serveListCapacityProviders({ declared }: FunctionPorts): ServedOperation {
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
