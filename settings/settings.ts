/** Flags and environment variables become typed settings here, and nowhere else. */
import { parseArgs } from 'node:util';
import { didYouMean } from '#platform/did-you-mean.ts';

import { clusterProblems, sharedDataEnvironment, takeCluster } from './cluster-settings.ts';
import { codeProblems, codeSettingTable, takeCode } from './code-settings.ts';
import { functionSettingTable, type FunctionSettingValues } from './function-setting-table.ts';
import { settingTable } from './setting-table.ts';
import type { Environment, Setting } from './setting.ts';
import type { Settings } from './setting-values.ts';

const table = { ...settingTable, ...functionSettingTable, ...codeSettingTable };
export type SettingsResult =
  | {
      readonly kind: 'settings';
      readonly settings: Settings;
      readonly inForce: readonly SettingInForce[];
    }
  /** One sentence each, for the person who started the program. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** A setting as operators see it. */
export interface SettingInForce {
  readonly name: string;
  /** As it was given, or the default as help shows it; `***` for a secret that was given. */
  readonly value: string;
  readonly source: 'flag' | 'variable' | 'default';
}

/** What installers that an operator starts may know: proxies, registries, the search path; nothing of ours and no credentials of a cloud. */
export function programEnvironment(
  environment: Environment = process.env,
): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !/^(?:HOB_|AWS_|DATABASE_URL$)/.test(name)) given[name] = value;
  }
  return given;
}

/** For commands that work on what all nodes of a cluster share. */
export function readSharedSettings(
  flags: readonly string[],
  environment: Environment = process.env,
): SettingsResult {
  return readSettings(flags, sharedDataEnvironment(environment));
}

/** A flag wins over its variable, a variable over the default; an empty variable is no variable. */
export function readSettings(
  flags: readonly string[],
  environment: Environment = process.env,
): SettingsResult {
  const problems: string[] = [];
  const given = readFlags(flags, problems);

  function take<T>(setting: Setting<T>): T {
    const flag = setting.flag === undefined ? undefined : given.get(setting.flag);
    const text = flag ?? (environment[setting.variable] || undefined);
    if (text === undefined) return setting.fallback;
    const result = setting.parse(text);
    if ('value' in result) return result.value;
    const name = flag === undefined ? setting.variable : `--${setting.flag}`;
    const shown = setting.secret ? '' : `, not ${JSON.stringify(text)}`;
    problems.push(`${name} must be ${result.must}${shown}.`);
    return setting.fallback;
  }

  const values: Settings = {
    port: take(table.port),
    host: take(table.host),
    sshPort: take<number | undefined>(table.sshPort),
    sshPublicPort: take<number | undefined>(table.sshPublicPort),
    data: take(table.data),
    baseUrl: take(table.baseUrl),
    tls: together(take(table.tlsCert), take(table.tlsKey), problems),
    database: take(table.database),
    cluster: takeCluster(take, problems),
    redisUrl: take(table.redisUrl),
    previews: take(table.previews),
    rateLimitUser: take(table.rateLimitUser),
    rateLimitAnonymous: take(table.rateLimitAnonymous),
    rateLimitSearch: take(table.rateLimitSearch),
    rateLimitApplication: take(table.rateLimitApplication),
    abuseLimits: take(table.abuseLimits),
    pollingLimit: take(table.pollingLimit),
    trustedProxies: take(table.trustedProxies),
    connectionsMax: take(table.connectionsMax),
    connectionsPerAddressMax: take(table.connectionsPerAddressMax),
    bytesPerSecondMin: take(table.bytesPerSecondMin),
    stopDelaySeconds: take(table.stopDelaySeconds),
    maintenance: take(table.maintenance),
    webhookPrivateTargets: take(table.webhookPrivateTargets),
    imports: take(table.imports),
    imageProxy: take(table.imageProxy),
    testControls: take<Settings['testControls']>(table.testControls),
    seed: take<string | undefined>(table.seed),
    admin: {
      login: take(table.adminLogin),
      password: take(table.adminPassword),
      token: take(table.adminToken),
    },
    region: take(table.region),
    accountId: take(table.accountId),
    allowUnsigned: take(table.allowUnsigned),
    accessKeyId: take(table.accessKeyId),
    secretAccessKey: take(table.secretAccessKey),
    code: takeCode(take, problems),
    functions: {
      updateMilliseconds: take(table.updateMilliseconds),
      idleEnvironmentSeconds: take(table.idleEnvironmentSeconds),
      inactiveSeconds: take(table.inactiveSeconds),
      environmentsMax: take(table.environmentsMax),
      codeMebibytes: take(table.codeMebibytes),
      logDays: take(table.logDays),
      urlDomain: take<string | undefined>(table.urlDomain),
      network: take<FunctionSettingValues['network']>(table.network),
      forge: take(table.forge),
      requiredIsolation: take<FunctionSettingValues['requiredIsolation']>(table.requiredIsolation),
      insecureFunctions: take(table.insecureFunctions),
      runtimePrograms: take(table.runtimePrograms),
      resources: take<string | undefined>(table.resources),
      sharedFolders: take<readonly string[]>(table.sharedFolders),
      sharedHosts: take<readonly string[]>(table.sharedHosts),
      objectsFolder: take<string | undefined>(table.objectsFolder),
      objectsEndpoint: take<string | undefined>(table.objectsEndpoint),
      objectsAccessKeyId: take(table.objectsAccessKeyId),
      objectsSecretAccessKey: take(table.objectsSecretAccessKey),
      imagesFolder: take<string | undefined>(table.imagesFolder),
      searchPath: take(table.searchPath),
    },
    logLevel: take(table.logLevel),
    accessLog: take(table.accessLog),
    metrics: take<Settings['metrics']>(table.metrics),
    vendor: take(table.vendor),
  };
  problems.push(...problemsTogether(values));
  return problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'settings', settings: values, inForce: inForce(given, environment) };
}

/** What is wrong with settings that are right one by one. */
function problemsTogether(values: Settings): string[] {
  return [
    ...accessKeyProblems(values),
    ...sshProblems(values),
    ...testControlProblems(values),
    ...clusterProblems(values),
    ...codeProblems(values),
  ];
}

function accessKeyProblems({ accessKeyId, secretAccessKey }: Settings): string[] {
  if ((accessKeyId === undefined) === (secretAccessKey === undefined)) return [];
  return [
    `${table.accessKeyId.variable} and ${table.secretAccessKey.variable} must be set together: set both, or neither.`,
  ];
}

function sshProblems({ sshPort, sshPublicPort }: Settings): string[] {
  if (sshPublicPort === undefined || sshPort !== undefined) return [];
  return [`${table.sshPublicPort.variable} needs --ssh-port, which turns git over SSH on.`];
}

/** Every setting with its default, or those named: the lower part of a help text. */
export function settingsHelp(names?: readonly SettingName[]): string {
  return chosen(names).map(helpOf).join('\n');
}

/** What administration commands need to find the same accounts and keys as the server. */
export const databaseSettingNames = [
  'data',
  'database',
  'region',
  'accountId',
  'logLevel',
] as const satisfies SettingName[];

/** The flags of settings, without dashes, for commands that also have flags of their own. */
export function settingFlags(names?: readonly SettingName[]): string[] {
  return chosen(names).flatMap((setting) => setting.flag ?? []);
}

type SettingName = keyof typeof table;

/** The same without the types of the values. */
const untyped: Readonly<Record<SettingName, Setting<unknown>>> = table;

function chosen(names?: readonly SettingName[]): Setting<unknown>[] {
  return names ? names.map((name) => untyped[name]) : Object.values(untyped);
}

/** In the order of help. */
function inForce(
  given: ReadonlyMap<string, string>,
  environment: Environment,
): readonly SettingInForce[] {
  return chosen().map((setting) => {
    const { flag, variable, secret, fallback, fallbackShown } = setting;
    const byFlag = flag === undefined ? undefined : given.get(flag);
    const text = byFlag ?? (environment[variable] || undefined);
    if (text === undefined) {
      return { name: variable, value: fallbackShown ?? String(fallback), source: 'default' };
    }
    const source = byFlag === undefined ? 'variable' : 'flag';
    return { name: variable, value: secret ? '***' : text, source };
  });
}

function testControlProblems({ testControls, host, seed }: Settings): string[] {
  const problems: string[] = [];
  if (testControls === 'on' && !isLoopback(host)) {
    problems.push(
      `--test-controls allows site administrators to reset the server, and ${host} is not a loopback address: listen on 127.0.0.1, or set --test-controls=any-address.`,
    );
  }
  if (seed !== undefined && testControls === 'off') {
    problems.push('--seed needs --test-controls: a seed may choose the tokens of users.');
  }
  return problems;
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);
}

/** Neither of the two is of any use without the other. */
function together(
  certificate: string | undefined,
  key: string | undefined,
  problems: string[],
): Settings['tls'] {
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate !== undefined || key !== undefined) {
    problems.push('--tls-cert and --tls-key must be set together: set both, or neither.');
  }
  return undefined;
}

function readFlags(flags: readonly string[], problems: string[]): Map<string, string> {
  const known = settingFlags();
  const switches = chosen().flatMap((setting) => (setting.switch ? (setting.flag ?? []) : []));
  const options = Object.fromEntries(
    known.map((flag) => [flag, { type: switches.includes(flag) ? 'boolean' : 'string' } as const]),
  );
  const { tokens } = parseArgs({
    args: [...flags],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const given = new Map<string, string>();
  // What follows an unknown flag is probably its value: one mistake is reported once.
  let afterUnknown = -1;
  for (const token of tokens) {
    if (token.kind === 'positional' && token.index !== afterUnknown) {
      problems.push(`Unexpected argument "${token.value}".`);
    }
    if (token.kind !== 'option') continue;
    if (!known.includes(token.name)) {
      problems.push(unknownFlag(token.rawName, known));
      afterUnknown = token.index + 1;
    } else if (switches.includes(token.name)) given.set(token.name, token.value ?? 'on');
    else if (token.value === undefined) problems.push(`${token.rawName} needs a value.`);
    else given.set(token.name, token.value);
  }
  return given;
}

function unknownFlag(rawName: string, known: readonly string[]): string {
  const nearest = didYouMean(rawName.replace(/^-+/, ''), known);
  return `Unknown flag ${rawName}.${nearest === undefined ? '' : ` Did you mean --${nearest}?`}`;
}

function helpOf(setting: Setting<unknown>): string {
  const taking = setting.switch ? '' : ` ${setting.placeholder}`;
  const flag = setting.flag === undefined ? '' : `--${setting.flag}${taking}, `;
  const value = setting.flag === undefined || setting.switch ? `=${setting.placeholder}` : '';
  const shown = setting.fallbackShown ?? String(setting.fallback);
  return `  ${flag}${setting.variable}${value}\n      ${setting.about} (default: ${shown})`;
}
