import {
  getFunctionRecursionConfig,
  putFunctionRecursionConfig,
} from '#functions-contract/operations/recursion.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { readFunctionName } from '../model/function-name.ts';
import { checkUnqualified, functionNotFound } from '../versions/find-function.ts';
import { readRecursion, writeRecursion } from './recursion-store.ts';

/** Recursive loop detection. */
export const recursionRoutes: readonly CreateHandler[] = [
  serveGetFunctionRecursionConfig,
  servePutFunctionRecursionConfig,
];

type GetFunctionRecursionConfigOutput = StructureOf<(typeof getFunctionRecursionConfig)['output']>;

function serveGetFunctionRecursionConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getFunctionRecursionConfig,
    async ({ FunctionName }): Promise<GetFunctionRecursionConfigOutput> => {
      const name = checkUnqualified(readFunctionName(FunctionName, settings));
      const loop = await database.read((sql) => readRecursion(sql, name));
      if (!loop) throw functionNotFound(settings, name);
      return { RecursiveLoop: loop };
    },
  );
}

type PutFunctionRecursionConfigOutput = StructureOf<(typeof putFunctionRecursionConfig)['output']>;

function servePutFunctionRecursionConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    putFunctionRecursionConfig,
    async (input): Promise<PutFunctionRecursionConfigOutput> => {
      const { RecursiveLoop } = input;
      const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
      const there = await database.write((sql) => writeRecursion(sql, name, RecursiveLoop));
      if (!there) throw functionNotFound(settings, name);
      return { RecursiveLoop };
    },
  );
}
