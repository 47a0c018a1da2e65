import { getAccountSettings } from '#functions-contract/operations/concurrency.ts';
import {
  concurrencyOfAccount,
  unzippedBytesMax,
  zippedBytesMax,
} from '#functions-contract/limits.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { measureCode } from '../../code/code-usage-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { readAccountUsage } from '../concurrency-store.ts';

type Output = StructureOf<(typeof getAccountSettings)['output']>;

export function serveGetAccountSettings({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getAccountSettings, async (): Promise<Output> => {
    const { usage, codeBytes } = await database.read(async (sql) => ({
      usage: await readAccountUsage(sql),
      codeBytes: await measureCode(sql),
    }));
    return {
      AccountLimit: {
        TotalCodeSize: settings.codeBytesMax,
        CodeSizeUnzipped: unzippedBytesMax,
        CodeSizeZipped: zippedBytesMax,
        ConcurrentExecutions: concurrencyOfAccount,
        UnreservedConcurrentExecutions: concurrencyOfAccount - usage.reserved,
      },
      AccountUsage: { TotalCodeSize: codeBytes, FunctionCount: usage.functions },
    };
  });
}
