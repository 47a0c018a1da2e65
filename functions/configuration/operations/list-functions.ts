import { listFunctions as listFunctionsOperation } from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import { pageOf, readMarker } from '../../json/paging.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { listFunctions } from '../function-store.ts';
import { representItem } from '../represent.ts';
import { versionNumberOf } from '../function-record.ts';

type Output = StructureOf<(typeof listFunctionsOperation)['output']>;

export function serveListFunctions(ports: FunctionPorts): ServedOperation {
  return serve(listFunctionsOperation, async (input): Promise<Output> => {
    const all = input.FunctionVersion === 'ALL';
    // Functions that another region's edge function is replicated to: there are none.
    if (input.MasterRegion !== undefined) {
      if (all) return { Functions: [] };
      throw invalidParameter('MasterRegion requires FunctionVersion ALL.');
    }
    const [name = '', number = '-1'] = readMarker(input.Marker);
    const after = { name, number: Number(number) };
    const page = await pageOf(
      input.MaxItems,
      (limit) => ports.database.read((sql) => listFunctions(sql, after, all, limit)),
      (last) => [last.name, String(versionNumberOf(last))],
    );
    const Functions = await Promise.all(
      page.items.map((item) => representItem(ports, item, all ? item.version : undefined)),
    );
    return page.marker === undefined ? { Functions } : { Functions, NextMarker: page.marker };
  });
}
