import { getFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representUrl, type UrlConfig } from '../url-json.ts';
import { findUrl } from '../url-store.ts';

export function serveGetFunctionUrlConfig({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getFunctionUrlConfig, async ({ FunctionName, Qualifier }): Promise<UrlConfig> => {
    const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
    const url = await database.read((sql) => findUrl(sql, name, qualifier));
    if (!url) throw noSuchResource();
    return representUrl(url, settings);
  });
}
