import { createFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import { functionArn, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findUrlOwner } from '../find-url-owner.ts';
import { makeUrlId } from '../url-address.ts';
import { representCreatedUrl, type CreatedUrl } from '../url-json.ts';
import { insertUrl } from '../url-store.ts';

export function serveCreateFunctionUrlConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings, clock, random } = ports;
  return serve(createFunctionUrlConfig, async (input): Promise<CreatedUrl> => {
    const { name, qualifier } = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const now = clock.now();
    const made = {
      functionName: name,
      alias: qualifier,
      urlId: makeUrlId(random),
      authType: input.AuthType,
      cors: input.Cors,
      invokeMode: input.InvokeMode,
      createdAt: now,
      modifiedAt: now,
    };
    const url = await database.write(async (sql) => {
      const functionId = await findUrlOwner(sql, settings, { name, qualifier });
      if (await insertUrl(sql, { ...made, functionId })) return { ...made, functionId };
      throw new FunctionsError(
        'ResourceConflictException',
        `Failed to create function url config for [functionArn = ${functionArn(settings, name, qualifier)}]. Error message:  FunctionUrlConfig exists for this Lambda function`,
      );
    });
    return representCreatedUrl(url, settings);
  });
}
