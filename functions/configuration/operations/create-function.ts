import { createFunction } from '#functions-contract/operations/functions.ts';
import type { Sql } from '#platform/database/database.ts';

import { checkAgainst, findConfigForFunction } from '../../code-signing/check-deployment.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import { checkNewName, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { checkTags } from '../../tags/check-tags.ts';
import { provisionLater } from '../../provisioning/provision.ts';
import { refusePublishTo } from '../../versions/refuse-publish-to.ts';
import { type Change, decideSettings } from '../decide-settings.ts';
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
import { takeCode } from '../ingest-function-code.ts';

export function serveCreateFunction(ports: FunctionPorts): ServedOperation {
  return serve(createFunction, async (input, { principal, warn }) => {
    const { FunctionName, Code, Tags, Publish, PackageType, Architectures, ...rest } = input;
    const { TenancyConfig, CodeSigningConfigArn, PublishTo, ...given } = rest;
    refusePublishTo(PublishTo);
    const { name } = readFunctionName(FunctionName, ports.settings);
    checkNewName(name);
    checkTags(Tags ?? {});
    const packageType = PackageType ?? 'Zip';
    const architecture = Architectures?.[0] ?? 'x86_64';
    const signing = async (sql: Sql): Promise<Signing | undefined> =>
      CodeSigningConfigArn === undefined
        ? undefined
        : signingOf(sql, ports, { arn: CodeSigningConfigArn, packageType, name });
    // Before the code is read; the function is held against it again.
    const warning = (await ports.database.read(signing))?.warning;
    if (warning !== undefined) warn(warning);
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
      const facts = { name, tags: Tags ?? {}, publish: Publish ?? false, signing };
      const version = await store(ports, made, facts);
      return represent(ports, version);
    });
  });
}

interface Signing {
  readonly configId: number;
  readonly warning: string;
}

/** The code signing configuration of a new function, or a refusal of its code. */
async function signingOf(
  sql: Sql,
  { settings }: FunctionPorts,
  asked: { readonly arn: string; readonly packageType: 'Zip' | 'Image'; readonly name: string },
): Promise<Signing> {
  const config = await findConfigForFunction(sql, settings, asked.arn, asked.packageType);
  return { configId: config.id, warning: checkAgainst(config, settings, asked.name) };
}

interface NewFacts {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly publish: boolean;
  readonly signing: (sql: Sql) => Promise<Signing | undefined>;
}

/** The first version, when one is published at once, is what the answer tells. */
async function store(
  ports: FunctionPorts,
  { configuration, variables }: Change,
  { name, tags, publish, signing }: NewFacts,
): Promise<FunctionVersion> {
  const { database, clock, random } = ports;
  const now = clock.now();
  const ids = [random.id(), random.id()] as const;
  const { versionIds, version } = await database.write(async (sql) => {
    const codeSigningConfigId = (await signing(sql))?.configId;
    const made = { name, tags, createdAt: now, codeSigningConfigId };
    const functionId = await insertFunction(sql, made);
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
