import { createFunction } from '#functions-contract/operations/functions.ts';

import { serve, type ServedOperation } from '../../conventions/call.ts';
import { FunctionsError } from '../../conventions/functions-error.ts';
import { checkNewName, readFunctionName } from '../../identity/function-name.ts';
import type { FunctionPorts } from '../../ports.ts';
import { checkTags } from '../../tags/check-tags.ts';
import { provisionLater } from '../../provisioning/provision.ts';
import { decideSettings } from '../decide-settings.ts';
import { creating, type FunctionVersion } from '../function-record.ts';
import {
  findVersion,
  insertConfiguration,
  insertFunction,
  insertVersion,
  takeVersionNumber,
} from '../function-store.ts';
import { newConfiguration } from '../new-configuration.ts';
import { present } from '../present.ts';
import { represent } from '../represent.ts';
import { takeCode } from '../take-code.ts';
import type { Change } from '../change-latest.ts';

export function serveCreateFunction(ports: FunctionPorts): ServedOperation {
  return serve(createFunction, async (input, { principal }) => {
    const { FunctionName, Code, Tags, Publish, PackageType, Architectures, ...rest } = input;
    const { TenancyConfig, CodeSigningConfigArn: _unsigned, PublishTo: _nowhere, ...given } = rest;
    const { name } = readFunctionName(FunctionName, ports.settings);
    checkNewName(name);
    checkTags(Tags ?? {});
    const packageType = PackageType ?? 'Zip';
    const architecture = Architectures?.[0] ?? 'x86_64';
    const versions = Publish === true ? 2 : 1;
    const wanted = { packageType, architecture, versions, freedBytes: 0 };
    return takeCode(ports, wanted, Code, async (code) => {
      const blank = newConfiguration({
        functionName: name,
        role: input.Role,
        packageType,
        architecture,
        code,
      });
      // What kind of function it is is decided here, for good.
      const { CapacityProviderConfig } = given;
      const born = { ...blank, ...present({ TenancyConfig, CapacityProviderConfig }) };
      const made = await decideSettings(ports, name, born, undefined, given, principal.arn);
      const version = await store(ports, name, made, Tags ?? {}, Publish ?? false);
      return represent(ports, version);
    });
  });
}

/** The first version, when one is published at once, is what the answer tells. */
async function store(
  ports: FunctionPorts,
  name: string,
  { configuration, variables }: Change,
  tags: Readonly<Record<string, string>>,
  publish: boolean,
): Promise<FunctionVersion> {
  const { database, clock, random } = ports;
  const now = clock.now();
  const ids = [random.id(), random.id()] as const;
  const { versionIds, version } = await database.write(async (sql) => {
    const functionId = await insertFunction(sql, { name, tags, createdAt: now });
    if (functionId === undefined) throw alreadyExists(name);
    const configurationId = await insertConfiguration(sql, functionId, configuration, variables);
    const standing = {
      configurationId,
      servingId: undefined,
      lastModified: now,
      state: { value: 'Pending', reason: creating },
      lastUpdate: undefined,
    } as const;
    const latestId = await insertVersion(sql, functionId, 0, { ...standing, revisionId: ids[0] });
    const number = publish ? await takeVersionNumber(sql, functionId) : 0;
    const publishedId = publish
      ? await insertVersion(sql, functionId, number, { ...standing, revisionId: ids[1] })
      : latestId;
    return {
      versionIds: new Set([latestId, publishedId]),
      version: await findVersion(sql, name, number),
    };
  });
  if (!version) throw new Error('The function that was just stored is not there.');
  for (const id of versionIds) provisionLater(ports, id);
  return version;
}

function alreadyExists(name: string): FunctionsError {
  return new FunctionsError('ResourceConflictException', `Function already exist: ${name}`, {
    withoutFault: true,
  });
}
