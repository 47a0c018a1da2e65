import { deleteFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { deleteUrl, findUrl } from '../url-store.ts';

export function serveDeleteFunctionUrlConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(deleteFunctionUrlConfig, async ({ FunctionName, Qualifier }) => {
    const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
    await database.write(async (sql) => {
      const url = await findUrl(sql, name, qualifier);
      if (!url) throw noSuchResource();
      await deleteUrl(sql, url.functionId, qualifier);
    });
    return {};
  });
}
