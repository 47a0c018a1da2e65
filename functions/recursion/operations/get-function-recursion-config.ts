import { getFunctionRecursionConfig } from '#functions-contract/operations/recursion.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { readRecursion } from '../recursion-store.ts';

type Output = StructureOf<(typeof getFunctionRecursionConfig)['output']>;

export function serveGetFunctionRecursionConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getFunctionRecursionConfig, async ({ FunctionName }): Promise<Output> => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    const loop = await database.read((sql) => readRecursion(sql, name));
    if (!loop) throw functionNotFound(settings, name);
    return { RecursiveLoop: loop };
  });
}
