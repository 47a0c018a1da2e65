import { updateFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representChangedUrl, type UrlConfig } from '../url-json.ts';
import { findUrl, replaceUrl } from '../url-store.ts';

/** What is not given stays; an empty structure takes the sharing with other origins away. */
export function serveUpdateFunctionUrlConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings, clock } = ports;
  return serve(updateFunctionUrlConfig, async (input): Promise<UrlConfig> => {
    const { name, qualifier } = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const modifiedAt = clock.now();
    const url = await database.write(async (sql) => {
      const current = await findUrl(sql, name, qualifier);
      if (!current) throw noSuchResource();
      const cors = input.Cors ?? current.cors;
      const next = {
        ...current,
        authType: input.AuthType ?? current.authType,
        cors: cors && Object.keys(cors).length > 0 ? cors : undefined,
        invokeMode: input.InvokeMode ?? current.invokeMode,
        modifiedAt,
      };
      await replaceUrl(sql, next);
      return next;
    });
    return representChangedUrl(url, settings);
  });
}
