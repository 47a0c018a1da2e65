import { getFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';

import { serve, type ServedOperation } from '../../conventions/call.ts';
import { noSuchResource } from '../../conventions/no-such-resource.ts';
import { readFunctionName } from '../../identity/function-name.ts';
import type { FunctionPorts } from '../../ports.ts';
import { representUrl, type UrlConfig } from '../url-representation.ts';
import { findUrl } from '../url-store.ts';

export function serveGetFunctionUrlConfig({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getFunctionUrlConfig, async ({ FunctionName, Qualifier }): Promise<UrlConfig> => {
    const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
    const url = await database.read((sql) => findUrl(sql, name, qualifier));
    if (!url) throw noSuchResource();
    return representUrl(url, settings);
  });
}
