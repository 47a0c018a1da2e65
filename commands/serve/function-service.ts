import type { AccessKeyPair } from '#functions/access-keys/administer-access-keys.ts';
import { readFileResources } from '#functions/configured-resources/read-configured-resources.ts';
import type { FunctionServicePorts } from '#functions/persistent-parts.ts';
import { startFunctions, type FunctionService } from '#functions/start-functions.ts';
import type { Settings } from '#settings/setting-values.ts';

import type { PublicUrls } from './public-urls.ts';
import type { FunctionDependencies } from './function-dependencies.ts';

/** The function service with what the operator has set. */
export async function startFunctionService(
  ports: FunctionServicePorts,
  settings: Settings & PublicUrls,
  { start, sandboxes }: FunctionDependencies,
): Promise<FunctionService> {
  const { region, accountId, allowUnsigned, baseUrl, loopbackBaseUrls, urlDomain, functions } =
    settings;
  return startFunctions(
    ports,
    {
      ...functions,
      codeBytesMax: functions.codeMebibytes * 2 ** 20,
      region,
      accountId,
      allowUnsigned,
      baseUrl,
      loopbackBaseUrls,
      urlDomain,
    },
    start,
    await readFileResources(functions.resources),
    sandboxes,
  );
}

/** The site administrator's access key: the configured one, or at the first start a generated one that is printed once. */
export async function firstAccessKey(
  keys: FunctionService['accessKeys'],
  { accessKeyId, secretAccessKey }: Settings,
  administratorMade: boolean,
): Promise<AccessKeyPair | undefined> {
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    await keys.keepChosen({ accessKeyId, secretAccessKey });
    return undefined;
  }
  return administratorMade ? keys.createForAdministrator() : undefined;
}
