import {
  createCapacityProvider,
  deleteCapacityProvider,
  updateCapacityProvider,
} from '#functions-contract/operations/capacity-providers.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { declaredOnly, declaredProvider } from '../declared-provider.ts';

export function serveCreateCapacityProvider(): ServedOperation {
  return serve(createCapacityProvider, async () => {
    throw declaredOnly();
  });
}

export function serveUpdateCapacityProvider(ports: FunctionPorts): ServedOperation {
  return serve(updateCapacityProvider, ({ CapacityProviderName }) =>
    refuse(ports, CapacityProviderName),
  );
}

export function serveDeleteCapacityProvider(ports: FunctionPorts): ServedOperation {
  return serve(deleteCapacityProvider, ({ CapacityProviderName }) =>
    refuse(ports, CapacityProviderName),
  );
}

async function refuse({ declared, settings }: FunctionPorts, name: string): Promise<never> {
  declaredProvider(name, settings, declared);
  throw declaredOnly();
}
