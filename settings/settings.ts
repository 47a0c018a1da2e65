/** Flags and environment variables become typed settings here, and nowhere else. */
import { parseArgs } from 'node:util';
import { didYouMean } from '#platform/did-you-mean.ts';

import {
  clusterProblems,
  readClusterSettings,
  readSharedConnections,
  sharedDataEnvironment,
} from './cluster-settings.ts';
import { codeProblems, codeSettingTable, readCodeSettings } from './code-settings.ts';
import { functionSettingTable, type FunctionSettingValues } from './function-setting-table.ts';
import { settingTable } from './setting-table.ts';
import type { EnvironmentVariables, Setting } from './setting.ts';
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
export function installerEnvironment(
  environment: EnvironmentVariables = process.env,
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
  environment: EnvironmentVariables = process.env,
): SettingsResult {
  return readSettings(flags, sharedDataEnvironment(environment));
}

/** A flag wins over its variable, a variable over the default; an empty variable is no variable. */
export function readSettings(
  flags: readonly string[],
  environment: EnvironmentVariables = process.env,
): SettingsResult {
  const problems: string[] = [];
  const given = readFlags(flags, problems);

  function read<T>(setting: Setting<T>): T {
    const flag = setting.flag === undefined ? undefined : given.get(setting.flag);
    const text = flag ?? (environment[setting.variable] || undefined);
    if (text === undefined) return setting.defaultValue;
    const result = setting.parse(text);
    if ('value' in result) return result.value;
    const name = flag === undefined ? setting.variable : `--${setting.flag}`;
    const shown = setting.secret ? '' : `, not ${JSON.stringify(text)}`;
    problems.push(`${name} must be ${result.expected}${shown}.`);
    return setting.defaultValue;
  }

  const values: Settings = {
    port: read(table.port),
    host: read(table.host),
    sshPort: read<number | undefined>(table.sshPort),
    sshPublicPort: read<number | undefined>(table.sshPublicPort),
    data: read(table.data),
    baseUrl: read(table.baseUrl),
    tls: together(read(table.tlsCert), read(table.tlsKey), problems),
    database: read(table.database),
    cluster: readClusterSettings(read, problems),
    ...readSharedConnections(read),
    previews: read(table.previews),
    rateLimitUser: read(table.rateLimitUser),
    rateLimitAnonymous: read(table.rateLimitAnonymous),
    rateLimitSearch: read(table.rateLimitSearch),
    rateLimitApplication: read(table.rateLimitApplication),
    abuseLimits: read(table.abuseLimits),
    pollingLimit: read(table.pollingLimit),
    trustedProxies: read(table.trustedProxies),
    connectionsMax: read(table.connectionsMax),
    connectionsPerAddressMax: read(table.connectionsPerAddressMax),
    bytesPerSecondMin: read(table.bytesPerSecondMin),
    stopDelaySeconds: read(table.stopDelaySeconds),
    maintenance: read(table.maintenance),
    webhookPrivateTargets: read(table.webhookPrivateTargets),
    imports: read(table.imports),
    imageProxy: read(table.imageProxy),
    testControls: read<Settings['testControls']>(table.testControls),
    seed: read<string | undefined>(table.seed),
    admin: {
      login: read(table.adminLogin),
      password: read(table.adminPassword),
      token: read(table.adminToken),
    },
    region: read(table.region),
    accountId: read(table.accountId),
    allowUnsigned: read(table.allowUnsigned),
    accessKeyId: read(table.accessKeyId),
    secretAccessKey: read(table.secretAccessKey),
    code: readCodeSettings(read, problems),
    functions: {
      minimumInProgressMilliseconds: read(table.minimumInProgressMilliseconds),
      idleEnvironmentSeconds: read(table.idleEnvironmentSeconds),
      inactiveSeconds: read(table.inactiveSeconds),
      environmentsMax: read(table.environmentsMax),
      codeMebibytes: read(table.codeMebibytes),
      logDays: read(table.logDays),
      urlDomain: read<string | undefined>(table.urlDomain),
      network: read<FunctionSettingValues['network']>(table.network),
      forge: read(table.forge),
      requiredIsolation: read<FunctionSettingValues['requiredIsolation']>(table.requiredIsolation),
      insecureFunctions: read(table.insecureFunctions),
      runtimePrograms: read(table.runtimePrograms),
      resources: read<string | undefined>(table.resources),
      sharedFolders: read<readonly string[]>(table.sharedFolders),
      sharedHosts: read<readonly string[]>(table.sharedHosts),
      objectsFolder: read<string | undefined>(table.objectsFolder),
      objectsEndpoint: read<string | undefined>(table.objectsEndpoint),
      objectsAccessKeyId: read(table.objectsAccessKeyId),
      objectsSecretAccessKey: read(table.objectsSecretAccessKey),
      imagesFolder: read<string | undefined>(table.imagesFolder),
      searchPath: read(table.searchPath),
    },
    logLevel: read(table.logLevel),
    accessLog: read(table.accessLog),
    metrics: read<Settings['metrics']>(table.metrics),
    vendor: read(table.vendor),
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
  environment: EnvironmentVariables,
): readonly SettingInForce[] {
  return chosen().map((setting) => {
    const { flag, variable, secret, defaultValue, defaultLabel } = setting;
    const byFlag = flag === undefined ? undefined : given.get(flag);
    const text = byFlag ?? (environment[variable] || undefined);
    if (text === undefined) {
      return { name: variable, value: defaultLabel ?? String(defaultValue), source: 'default' };
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
  const shown = setting.defaultLabel ?? String(setting.defaultValue);
  return `  ${flag}${setting.variable}${value}\n      ${setting.description} (default: ${shown})`;
}
