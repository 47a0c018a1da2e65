import { resolve } from 'node:path';

import { codeBytesOfAccountMax } from '#functions-contract/limits.ts';
import { isolationTiers, type IsolationTier } from '#functions/launcher/isolation.ts';
import { matching, oneOf, origin, wholeNumber, type Parsed } from '#platform/setting-values.ts';
import { functionNetworks, type FunctionNetwork } from '#functions/ports/function-network.ts';
import type { Setting } from './setting.ts';

/** Lower case; an address of digits is none (WHATWG URL, "ends in a number"). */
const domain =
  /^(?=.{1,190}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The settings of the function service, in the order of the help. */
export const functionSettingTable = {
  minimumInProgressMilliseconds: {
    variable: 'HOB_FUNCTION_UPDATE_MS',
    placeholder: 'N',
    description: 'Minimum milliseconds for which an update is InProgress, for testing clients',
    defaultValue: 0,
    parse: wholeNumber(0, 600_000),
  },
  idleEnvironmentSeconds: {
    variable: 'HOB_FUNCTION_IDLE_SECONDS',
    placeholder: 'N',
    description: 'Seconds without invocation after which an execution environment is shut down',
    defaultValue: 600,
    parse: wholeNumber(1, 86_400),
  },
  inactiveSeconds: {
    variable: 'HOB_FUNCTION_INACTIVE_SECONDS',
    placeholder: 'N',
    description: 'Seconds without invocation after which a function becomes Inactive',
    defaultValue: 14 * 86_400,
    defaultLabel: '1209600 (14 days)',
    parse: wholeNumber(1, 366 * 86_400),
  },
  environmentsMax: {
    variable: 'HOB_FUNCTION_ENVIRONMENTS',
    placeholder: 'N',
    description: 'Maximum concurrent execution environments',
    defaultValue: 64,
    parse: wholeNumber(1, 10_000),
  },
  codeMebibytes: {
    variable: 'HOB_FUNCTION_CODE_MIB',
    placeholder: 'N',
    description: 'Maximum total size of uploaded code, in MiB',
    defaultValue: codeBytesOfAccountMax / 2 ** 20,
    defaultLabel: '76800 (75 GiB)',
    parse: wholeNumber(1, 1_000_000_000),
  },
  logDays: {
    variable: 'HOB_FUNCTION_LOG_DAYS',
    placeholder: 'N',
    description:
      'Days for which a log stream is retained after its last line; 0 until its group is full',
    defaultValue: 0,
    parse: wholeNumber(0, 36_500),
  },
  urlDomain: {
    variable: 'HOB_FUNCTION_URL_DOMAIN',
    placeholder: 'DOMAIN|none',
    description:
      'Domain of function URL hosts; none serves function URLs as paths below the base URL',
    defaultValue: undefined,
    defaultLabel: 'localhost if the base URL is on loopback, otherwise none',
    parse: matching(domain, 'a domain like lambda.example.org, or none'),
  } satisfies Setting<string | undefined>,
  network: {
    variable: 'HOB_FUNCTION_NETWORK',
    placeholder: functionNetworks.join('|'),
    description:
      'Network of functions without a VPC: none, public addresses only, or the network of the host',
    defaultValue: 'none',
    parse: oneOf(functionNetworks),
  } satisfies Setting<FunctionNetwork>,
  forge: {
    variable: 'HOB_FUNCTION_FORGE',
    placeholder: 'on|off',
    description:
      'Whether functions reach the forge and the function service at the base URL, whatever their network',
    defaultValue: true,
    defaultLabel: 'on',
    parse: (text) =>
      /^(on|off)$/.test(text) ? { value: text === 'on' } : { expected: 'on or off' },
  } satisfies Setting<boolean>,
  requiredIsolation: {
    flag: 'require-isolation',
    variable: 'HOB_REQUIRE_ISOLATION',
    placeholder: isolationTiers.join('|'),
    description: 'Minimum isolation tier: the server does not start on a host that provides less',
    defaultValue: undefined,
    defaultLabel: 'whatever the host provides',
    parse: oneOf(isolationTiers),
  } satisfies Setting<IsolationTier | undefined>,
  insecureFunctions: {
    flag: 'insecure-functions',
    switch: true,
    variable: 'HOB_INSECURE_FUNCTIONS',
    placeholder: 'on|off',
    description: 'Runs functions even on a host that provides no isolation',
    defaultValue: false,
    defaultLabel: 'off',
    parse: (text) =>
      /^(on|off)$/.test(text) ? { value: text === 'on' } : { expected: 'on or off' },
  } satisfies Setting<boolean>,
  runtimePrograms: {
    variable: 'HOB_RUNTIMES',
    placeholder: 'NAME=PROGRAM,…',
    description: 'Programs that run functions of a runtime, instead of those found on the host',
    defaultValue: {},
    defaultLabel: 'programs found on the host',
    parse: programs,
  } satisfies Setting<Readonly<Record<string, string>>>,
  resources: {
    variable: 'HOB_RESOURCES',
    placeholder: 'FILE',
    description:
      'File that declares the networks, file systems, queues and other resources that functions can use',
    defaultValue: undefined,
    defaultLabel: 'none',
    parse: path('a file'),
  },
  sharedFolders: {
    variable: 'HOB_SHARED_FOLDERS',
    placeholder: 'FOLDER,…',
    description:
      'Folders whose subfolders site administrators can declare on a page as file systems and targets of functions',
    defaultValue: [],
    defaultLabel: 'none',
    parse: folders,
  } satisfies Setting<readonly string[]>,
  sharedHosts: {
    variable: 'HOB_SHARED_HOSTS',
    placeholder: 'HOST:PORT,…',
    description:
      'Hosts that site administrators can declare on a page as targets and in networks of functions',
    defaultValue: [],
    defaultLabel: 'none',
    parse: hosts,
  } satisfies Setting<readonly string[]>,
  objectsFolder: {
    variable: 'HOB_S3_FOLDER',
    placeholder: 'FOLDER',
    description: 'Folder of S3 buckets for function code: BUCKET/KEY is a file in it',
    defaultValue: undefined,
    defaultLabel: 'none',
    parse: path('a folder'),
  },
  objectsEndpoint: {
    variable: 'HOB_S3_ENDPOINT',
    placeholder: 'URL',
    description: 'S3-compatible endpoint for function code',
    defaultValue: undefined,
    defaultLabel: 'none',
    parse: origin,
  },
  objectsAccessKeyId: {
    variable: 'HOB_S3_ACCESS_KEY_ID',
    placeholder: 'ID',
    description: 'Access key for the S3-compatible endpoint',
    defaultValue: '',
    defaultLabel: 'none',
    parse: matching(/^[!-~]+$/, 'printable ASCII'),
  },
  objectsSecretAccessKey: {
    variable: 'HOB_S3_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    description: 'Secret access key for the S3-compatible endpoint',
    defaultValue: '',
    defaultLabel: 'none',
    secret: true,
    parse: matching(/^[!-~]+$/, 'printable ASCII'),
  },
  imagesFolder: {
    variable: 'HOB_IMAGES_FOLDER',
    placeholder: 'FOLDER',
    description: 'Folder of OCI image layouts for functions',
    defaultValue: undefined,
    defaultLabel: 'none',
    parse: path('a folder'),
  },
  searchPath: {
    variable: 'PATH',
    placeholder: 'FOLDERS',
    description: 'Search path for the programs that run functions',
    defaultValue: '/usr/local/bin:/usr/bin:/bin',
    parse: (text) => ({ value: text }),
  } satisfies Setting<string>,
};

/** Every value of the table. */
export type FunctionSettingValues = {
  readonly [
    K in keyof typeof functionSettingTable
  ]: (typeof functionSettingTable)[K] extends Setting<infer T> ? T : never;
};

function path(expected: string): (text: string) => Parsed<string | undefined> {
  return matching(/^[^\0]+$/, expected);
}

/** As site administrators will name them. */
function folders(text: string): Parsed<readonly string[]> {
  const value = text.split(',').map((part) => part.trim());
  if (!value.every((part) => /^\/[^\0]*$/.test(part))) {
    return { expected: 'absolute paths with commas between them' };
  }
  return { value: value.map((part) => resolve(part)) };
}

function hosts(text: string): Parsed<readonly string[]> {
  const value = text.split(',').map((part) => part.trim().toLowerCase());
  const valid = value.every((part) => /^(?:[\w.-]+|\[[\d:a-f.]+\]):\d{1,5}$/.test(part));
  return valid ? { value } : { expected: 'hosts like db.internal:5432 with commas between them' };
}

function programs(text: string): Parsed<Readonly<Record<string, string>>> {
  const pairs = text.split(',').map((pair) => /^([a-z0-9.-]+)=(\/[^\0]*)$/.exec(pair));
  if (!pairs.every((pair) => pair !== null))
    return { expected: 'RUNTIME=/PROGRAM, more after commas' };
  return { value: Object.fromEntries(pairs.map(([, name = '', program = '']) => [name, program])) };
}
