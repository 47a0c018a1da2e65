import { getAlias } from '#functions-contract/operations/aliases.ts';
import { listEventSourceMappings } from '#functions-contract/operations/event-source-mappings.ts';
import { getFunctionUrlConfig } from '#functions-contract/operations/function-urls.ts';
import {
  getFunctionConfiguration,
  updateFunctionCode,
} from '#functions-contract/operations/functions.ts';
import { getPolicy } from '#functions-contract/operations/permissions.ts';

import {
  callForExisting,
  type DeployCode,
  type DeployService,
  isRecord,
  memberOf,
  type Output,
  textOf,
} from './deploy-service.ts';
import type { FunctionTemplate, QueueSettings } from './template.ts';

/** What a deployment would do with a function. */
export interface FunctionPlan {
  readonly wanted: FunctionTemplate;
  readonly code: DeployCode;
  /** The configuration of `$LATEST`; undefined: the function does not exist. */
  readonly current: Output | undefined;
  readonly changes: readonly Change[];
}

export interface Change {
  readonly part:
    | 'settings'
    | 'architecture'
    | 'code'
    | 'retry'
    | 'url'
    | 'permission'
    | 'alias'
    | 'queue';
  /** `Environment.Variables.A` */
  readonly setting: string;
  /** Undefined: there is none. */
  readonly before: unknown;
  readonly after: unknown;
  /** Neither value may be shown. */
  readonly secret: boolean;
}

/** Compares a function with its template. What the template does not name stays as it is. */
export async function planFunction(
  service: DeployService,
  wanted: FunctionTemplate,
  code: DeployCode,
): Promise<FunctionPlan> {
  const FunctionName = wanted.name;
  const current = await callForExisting(service, getFunctionConfiguration, { FunctionName });
  const sha256 = code.sha256 ?? (current && (await sha256Of(service, FunctionName, code)));
  const changes = [
    ...settingsChanges(wanted, current),
    ...(sha256 === undefined ? [] : difference('code', 'CodeSha256', current, sha256)),
    ...failedBefore(current),
    ...(await aliasChanges(service, wanted, current, sha256)),
    ...(await urlChanges(service, wanted, current)),
    ...(await queueChanges(service, wanted)),
  ];
  return { wanted, code, current, changes };
}

/** The hash of code that only the service can read. */
async function sha256Of(
  service: DeployService,
  FunctionName: string,
  { source }: DeployCode,
): Promise<string | undefined> {
  const input = { FunctionName, ...source, DryRun: true };
  return textOf((await service.call(updateFunctionCode, input))['CodeSha256']);
}

function settingsChanges(wanted: FunctionTemplate, current: Output | undefined): Change[] {
  const { Environment, Architectures, ...settings } = wanted.settings;
  const layers = current && listOf(current['Layers']).map((layer) => memberOf(layer, 'Arn'));
  const known = current && { ...current, Layers: layers };
  const before = memberOf(current?.['Environment'], 'Variables');
  return [
    ...Object.entries(settings).flatMap(([name, value]) =>
      difference('settings', name, known, value),
    ),
    ...(Architectures ? difference('architecture', 'Architectures', known, Architectures) : []),
    ...Object.entries(Environment?.Variables ?? {}).flatMap(([name, value]) =>
      difference('settings', name, before, value).map((change) => ({
        ...change,
        setting: `Environment.Variables.${name}`,
        secret: true,
      })),
    ),
  ];
}

function difference(
  part: Change['part'],
  setting: string,
  current: unknown,
  after: unknown,
): Change[] {
  const before = memberOf(current, setting);
  return isEqual(before, after) ? [] : [{ part, setting, before, after, secret: false }];
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (isRecord(one) && isRecord(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => isEqual(one[name], other[name]));
  }
  return one === other;
}

/** An update that failed is tried again, although nothing else changes. */
function failedBefore(current: Output | undefined): Change[] {
  const failed = ['State', 'LastUpdateStatus'].find((name) => current?.[name] === 'Failed');
  if (failed === undefined) return [];
  const after = failed === 'State' ? 'Active' : 'Successful';
  return [{ part: 'retry', setting: failed, before: 'Failed', after, secret: false }];
}

/** The alias must point to a version with the code and the settings of the template. */
async function aliasChanges(
  service: DeployService,
  wanted: FunctionTemplate,
  current: Output | undefined,
  sha256: string | undefined,
): Promise<Change[]> {
  if (wanted.alias === undefined) return [];
  const FunctionName = wanted.name;
  const alias =
    current && (await callForExisting(service, getAlias, { FunctionName, Name: wanted.alias }));
  const change: Change = {
    part: 'alias',
    setting: `Alias.${wanted.alias}`,
    before: alias?.['FunctionVersion'],
    after: 'a new version',
    secret: false,
  };
  if (!alias) return [change];
  const input = { FunctionName, Qualifier: wanted.alias };
  const version = await service.call(getFunctionConfiguration, input);
  // A version may have a description of its own.
  const { Description: _own, ...settings } = wanted.settings;
  const isCurrent =
    settingsChanges({ ...wanted, settings }, version).length === 0 &&
    version['CodeSha256'] === sha256;
  return isCurrent ? [] : [change];
}

async function urlChanges(
  service: DeployService,
  { name, alias, url, logicalId }: FunctionTemplate,
  current: Output | undefined,
): Promise<Change[]> {
  if (!url) return [];
  const named = { FunctionName: name, Qualifier: alias };
  const config = current && (await callForExisting(service, getFunctionUrlConfig, named));
  const changes = Object.entries(url).flatMap(([setting, value]) =>
    difference('url', setting, config, value).map((change) => ({
      ...change,
      setting: `FunctionUrlConfig.${setting}`,
    })),
  );
  const policy = current && (await callForExisting(service, getPolicy, named));
  const isOpen = holdsStatement(policy, statementId(logicalId));
  if (isOpen === (url.AuthType === 'NONE')) return changes;
  const [before, after] = isOpen ? ['everybody', undefined] : [undefined, 'everybody'];
  const setting = `Permission.${statementId(logicalId)}`;
  return [...changes, { part: 'permission', setting, before, after, secret: false }];
}

/** A mapping may be there before its function. */
async function queueChanges(service: DeployService, wanted: FunctionTemplate): Promise<Change[]> {
  const changes: Change[] = [];
  for (const queue of wanted.queues) {
    const mapping = await findMapping(service, wanted, queue);
    const known = mapping && {
      ...mapping,
      Enabled: mapping['State'] === 'Enabled',
      FilterCriteria: mapping['FilterCriteria'] ?? { Filters: [] },
      ScalingConfig: mapping['ScalingConfig'] ?? {},
    };
    const members = { EventSourceArn: queue.EventSourceArn, ...queue.settings };
    for (const [name, value] of Object.entries(members)) {
      for (const change of difference('queue', name, known, value)) {
        changes.push({ ...change, setting: eventSetting(queue, name) });
      }
    }
  }
  return changes;
}

function eventSetting({ eventName }: QueueSettings, name: string): string {
  return `Events.${eventName}.${name}`;
}

export function changesQueue(changes: readonly Change[], queue: QueueSettings): boolean {
  return changes.some(({ setting }) => setting.startsWith(eventSetting(queue, '')));
}

/** The mapping by which a queue invokes the function, or its alias. */
export async function findMapping(
  service: DeployService,
  wanted: FunctionTemplate,
  { EventSourceArn }: QueueSettings,
): Promise<Output | undefined> {
  const input = { FunctionName: invokedName(wanted), EventSourceArn };
  const listed = await service.call(listEventSourceMappings, input);
  const [mapping] = listOf(listed['EventSourceMappings']);
  return isRecord(mapping) ? mapping : undefined;
}

/** With an alias, events invoke that. */
export function invokedName({ name, alias }: FunctionTemplate): string {
  return alias === undefined ? name : `${name}:${alias}`;
}

/** Of the permission that SAM adds for a function URL without authentication. */
export function statementId(logicalId: string): string {
  return `${logicalId}UrlPublicPermissions`;
}

function holdsStatement(policy: Output | undefined, id: string): boolean {
  const text = textOf(policy?.['Policy']);
  const document: unknown = text === undefined ? undefined : JSON.parse(text);
  return listOf(memberOf(document, 'Statement')).some(
    (statement) => memberOf(statement, 'Sid') === id,
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
