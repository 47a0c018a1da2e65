import { putFunctionRecursionConfig } from '#functions-contract/operations/recursion.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { writeRecursion } from '../recursion-store.ts';

type Output = StructureOf<(typeof putFunctionRecursionConfig)['output']>;

export function servePutFunctionRecursionConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(putFunctionRecursionConfig, async (input): Promise<Output> => {
    const { RecursiveLoop } = input;
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const there = await database.write((sql) => writeRecursion(sql, name, RecursiveLoop));
    if (!there) throw functionNotFound(settings, name);
    return { RecursiveLoop };
  });
}
