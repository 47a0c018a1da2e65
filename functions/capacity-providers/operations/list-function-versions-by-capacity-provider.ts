import { listFunctionVersionsByCapacityProvider } from '#functions-contract/operations/capacity-providers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import { functionArn } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { listProvidedVersions } from '../capacity-provider-store.ts';
import { declaredProvider } from '../declared-provider.ts';

type Output = StructureOf<(typeof listFunctionVersionsByCapacityProvider)['output']>;

export function serveListFunctionVersionsByCapacityProvider(ports: FunctionPorts): ServedOperation {
  const { database, settings, declared } = ports;
  return serve(listFunctionVersionsByCapacityProvider, async (input): Promise<Output> => {
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
  });
}
