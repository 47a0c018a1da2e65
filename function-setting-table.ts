import { codeBytesOfAccountMax } from '#functions-contract/limits.ts';
import { isolationTiers, type IsolationTier } from '#functions/launcher/isolation.ts';
import { matching, oneOf, origin, wholeNumber, type Parsed } from '#platform/setting-values.ts';

import type { Setting } from './setting-table.ts';

/** Lower case; an address of digits is none (WHATWG URL, "ends in a number"). */
const domain =
  /^(?=.{1,190}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The settings of the function service, in the order of the help. */
export const functionSettingTable = {
  updateMilliseconds: {
    variable: 'HOB_FUNCTION_UPDATE_MS',
    placeholder: 'N',
    about: 'Milliseconds for which an update shows as InProgress at least, for tests of clients',
    fallback: 0,
    parse: wholeNumber(0, 600_000),
  },
  idleEnvironmentSeconds: {
    variable: 'HOB_FUNCTION_IDLE_SECONDS',
    placeholder: 'N',
    about: 'Seconds after which an environment that nobody invokes is let go',
    fallback: 600,
    parse: wholeNumber(1, 86_400),
  },
  inactiveSeconds: {
    variable: 'HOB_FUNCTION_INACTIVE_SECONDS',
    placeholder: 'N',
    about: 'Seconds after which a function that nobody invokes is put to rest',
    fallback: 14 * 86_400,
    parse: wholeNumber(1, 366 * 86_400),
  },
  environmentsMax: {
    variable: 'HOB_FUNCTION_ENVIRONMENTS',
    placeholder: 'N',
    about: 'Execution environments that may be alive at once',
    fallback: 64,
    parse: wholeNumber(1, 10_000),
  },
  codeMebibytes: {
    variable: 'HOB_FUNCTION_CODE_MIB',
    placeholder: 'N',
    about: 'MiB that the code of all functions and layers may come to, as it was uploaded',
    fallback: codeBytesOfAccountMax / 2 ** 20,
    parse: wholeNumber(1, 1_000_000_000),
  },
  urlDomain: {
    variable: 'HOB_FUNCTION_URL_DOMAIN',
    placeholder: 'DOMAIN|none',
    about: 'Domain of the hosts of function URLs; none makes them paths of the base URL',
    fallback: undefined,
    fallbackShown: 'localhost where the base URL is on loopback, else none',
    parse: matching(domain, 'a domain like lambda.example.org, or none'),
  } satisfies Setting<string | undefined>,
  hostNetwork: {
    variable: 'HOB_FUNCTION_NETWORK',
    placeholder: 'none|host',
    about: 'What functions without a network of their own reach',
    fallback: false,
    fallbackShown: 'none',
    parse: (text) =>
      /^(none|host)$/.test(text) ? { value: text === 'host' } : { must: 'none or host' },
  } satisfies Setting<boolean>,
  requiredIsolation: {
    flag: 'require-isolation',
    variable: 'HOB_REQUIRE_ISOLATION',
    placeholder: isolationTiers.join('|'),
    about: 'The start fails on a host that isolates functions less than this',
    fallback: undefined,
    fallbackShown: 'whatever the host allows',
    parse: oneOf(isolationTiers),
  } satisfies Setting<IsolationTier | undefined>,
  insecureFunctions: {
    flag: 'insecure-functions',
    switch: true,
    variable: 'HOB_INSECURE_FUNCTIONS',
    placeholder: 'on|off',
    about: 'Runs functions even where nothing keeps them from the host',
    fallback: false,
    fallbackShown: 'off',
    parse: (text) => (/^(on|off)$/.test(text) ? { value: text === 'on' } : { must: 'on or off' }),
  } satisfies Setting<boolean>,
  runtimePrograms: {
    variable: 'HOB_RUNTIMES',
    placeholder: 'NAME=PROGRAM,…',
    about: 'Programs that run the functions of a runtime, whatever else is found',
    fallback: {},
    fallbackShown: 'what the host has',
    parse: programs,
  } satisfies Setting<Readonly<Record<string, string>>>,
  resources: {
    variable: 'HOB_RESOURCES',
    placeholder: 'FILE',
    about: 'Networks, file systems, queues and the like that functions may use',
    fallback: undefined,
    fallbackShown: 'none',
    parse: path('a file'),
  },
  objectsFolder: {
    variable: 'HOB_S3_FOLDER',
    placeholder: 'FOLDER',
    about: 'A folder of buckets that code may come from',
    fallback: undefined,
    fallbackShown: 'none',
    parse: path('a folder'),
  },
  objectsEndpoint: {
    variable: 'HOB_S3_ENDPOINT',
    placeholder: 'URL',
    about: 'An S3-compatible endpoint that code may come from',
    fallback: undefined,
    fallbackShown: 'none',
    parse: origin,
  },
  objectsAccessKeyId: {
    variable: 'HOB_S3_ACCESS_KEY_ID',
    placeholder: 'ID',
    about: 'Access key for it',
    fallback: '',
    fallbackShown: 'none',
    parse: matching(/^[!-~]+$/, 'printable ASCII'),
  },
  objectsSecretAccessKey: {
    variable: 'HOB_S3_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    about: 'Its secret',
    fallback: '',
    fallbackShown: 'none',
    secret: true,
    parse: matching(/^[!-~]+$/, 'printable ASCII'),
  },
  imagesFolder: {
    variable: 'HOB_IMAGES_FOLDER',
    placeholder: 'FOLDER',
    about: 'A folder of OCI image layouts that functions may be made from',
    fallback: undefined,
    fallbackShown: 'none',
    parse: path('a folder'),
  },
  searchPath: {
    variable: 'PATH',
    placeholder: 'FOLDERS',
    about: 'Where programs are looked for that run functions',
    fallback: '/usr/local/bin:/usr/bin:/bin',
    parse: (text) => ({ value: text }),
  } satisfies Setting<string>,
};

/** Every value of the table. */
export type FunctionSettingValues = {
  readonly [
    K in keyof typeof functionSettingTable
  ]: (typeof functionSettingTable)[K] extends Setting<infer T> ? T : never;
};

function path(must: string): (text: string) => Parsed<string | undefined> {
  return matching(/^[^\0]+$/, must);
}

function programs(text: string): Parsed<Readonly<Record<string, string>>> {
  const pairs = text.split(',').map((pair) => /^([a-z0-9.-]+)=(\/[^\0]*)$/.exec(pair));
  if (!pairs.every((pair) => pair !== null)) return { must: 'RUNTIME=/PROGRAM, more after commas' };
  return { value: Object.fromEntries(pairs.map(([, name = '', program = '']) => [name, program])) };
}
