import { getFunctionConfiguration } from '#functions-contract/operations/functions.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findReferred, functionNotFound } from '../../versions/find-function.ts';
import { represent } from '../represent.ts';

export function serveGetFunctionConfiguration(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getFunctionConfiguration, async ({ FunctionName, Qualifier }) => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const version = await database.read((sql) => findReferred(sql, reference));
    if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
    return represent(ports, version, reference.qualifier);
  });
}
