/** Flags and environment variables become typed settings here, and nowhere else. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { logLevels } from '#platform/log.ts';
import type { LogLevel } from '#platform/log.ts';
import { nearestWord } from '#platform/nearest-word.ts';
import { matching, oneOf, origin, wholeNumber } from '#platform/setting-values.ts';
import type { Parsed } from '#platform/setting-values.ts';

export interface Settings {
  /** 0 lets the system choose. */
  readonly port: number;
  readonly host: string;
  /** The data directory. */
  readonly data: string;
  /** `scheme://host[:port]`; undefined: the address that is listened on. */
  readonly baseUrl: string | undefined;
  /** A URL of openDatabase; undefined: SQLite in the data directory. */
  readonly database: string | undefined;
  readonly previews: 'strict' | 'lenient';
  readonly rateLimitUser: number;
  readonly rateLimitAnonymous: number;
  readonly rateLimitApplication: number;
  readonly abuseLimits: boolean;
  readonly webhookPrivateTargets: boolean;
  /** The site administrator made at the first start; what is undefined is made up. */
  readonly admin: {
    readonly login: string | undefined;
    readonly password: string | undefined;
    readonly token: string | undefined;
  };
  readonly logLevel: LogLevel;
  readonly vendor: string;
}

export type SettingsResult =
  | { readonly kind: 'settings'; readonly settings: Settings }
  /** One sentence each, for the person who started the program. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

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
    data: take(table.data),
    baseUrl: take(table.baseUrl),
    database: take(table.database),
    previews: take(table.previews),
    rateLimitUser: take(table.rateLimitUser),
    rateLimitAnonymous: take(table.rateLimitAnonymous),
    rateLimitApplication: take(table.rateLimitApplication),
    abuseLimits: take(table.abuseLimits),
    webhookPrivateTargets: take(table.webhookPrivateTargets),
    admin: {
      login: take(table.adminLogin),
      password: take(table.adminPassword),
      token: take(table.adminToken),
    },
    logLevel: take(table.logLevel),
    vendor: take(table.vendor),
  };
  return problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'settings', settings: values };
}

/** Every setting with its default, or those named: the lower part of a help text. */
export function settingsHelp(names?: readonly SettingName[]): string {
  return chosen(names).map(helpOf).join('\n');
}

/** What administration commands need to find the same accounts as the server. */
export const databaseSettingNames = [
  'data',
  'database',
  'logLevel',
] as const satisfies SettingName[];

/** The flags of settings, without dashes, for commands that have flags of their own beside them. */
export function settingFlags(names?: readonly SettingName[]): string[] {
  return chosen(names).flatMap((setting) => setting.flag ?? []);
}

interface Setting<T> {
  /** Without dashes. */
  readonly flag?: string;
  readonly variable: string;
  /** What stands for the value in help. */
  readonly placeholder: string;
  readonly about: string;
  readonly fallback: T;
  /** How help tells the default; undefined: the fallback as it is. */
  readonly fallbackShown?: string;
  /** Not repeated in messages. */
  readonly secret?: boolean;
  parse(text: string): Parsed<T>;
}

const hourly = (who: string, fallback: number, variable: string): Setting<number> => ({
  variable,
  placeholder: 'N',
  about: `Requests an hour ${who}`,
  fallback,
  parse: wholeNumber(1, 1_000_000_000),
});

const table = {
  port: {
    flag: 'port',
    variable: 'HOB_PORT',
    placeholder: 'PORT',
    about: 'TCP port; 0 takes a free one',
    fallback: 3000,
    parse: wholeNumber(0, 65_535),
  },
  host: {
    flag: 'host',
    variable: 'HOB_HOST',
    placeholder: 'HOST',
    about: 'Address to listen on; 0.0.0.0 or :: for all',
    fallback: '127.0.0.1',
    parse: matching(/^[\w.:%-]+$/, 'an address or a host name'),
  },
  data: {
    flag: 'data',
    variable: 'HOB_DATA',
    placeholder: 'FOLDER',
    about: 'Repositories and the embedded database',
    fallback: join(import.meta.dirname, 'data'),
    fallbackShown: 'the folder "data" beside the program',
    parse: matching(/^[^\0]+$/, 'a folder'),
  },
  baseUrl: {
    flag: 'base-url',
    variable: 'HOB_BASE_URL',
    placeholder: 'URL',
    about: 'How clients reach the server; begins every URL in answers',
    fallback: undefined,
    fallbackShown: 'the address that is listened on',
    parse: origin,
  },
  database: {
    flag: 'database',
    variable: 'DATABASE_URL',
    placeholder: 'URL',
    about: 'postgres://… or sqlite:PATH',
    fallback: undefined,
    fallbackShown: 'SQLite in the data folder',
    secret: true,
    parse: matching(
      /^(postgres(ql)?:\/\/|sqlite:)./,
      'postgres://USER:PASSWORD@HOST/NAME or sqlite:PATH',
    ),
  },
  previews: {
    flag: 'previews',
    variable: 'HOB_PREVIEWS',
    placeholder: 'strict|lenient',
    about: 'Whether operations in preview demand their media type',
    fallback: 'strict',
    parse: oneOf(['strict', 'lenient']),
  } satisfies Setting<Settings['previews']>,
  rateLimitUser: hourly('of a user', 5000, 'HOB_RATE_LIMIT_USER'),
  rateLimitAnonymous: hourly('of an address without credentials', 60, 'HOB_RATE_LIMIT_ANONYMOUS'),
  rateLimitApplication: hourly('of an application', 5000, 'HOB_RATE_LIMIT_APPLICATION'),
  abuseLimits: {
    variable: 'HOB_ABUSE_LIMITS',
    placeholder: 'on|off',
    about: 'Whether bursts are slowed down beside the hourly limits',
    fallback: true,
    fallbackShown: 'on',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  webhookPrivateTargets: {
    variable: 'HOB_WEBHOOK_PRIVATE_TARGETS',
    placeholder: 'on|off',
    about: 'Whether webhooks may be sent to loopback and private addresses',
    fallback: false,
    fallbackShown: 'off',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  adminLogin: {
    variable: 'HOB_ADMIN_LOGIN',
    placeholder: 'LOGIN',
    about: 'Login of the site administrator made at the first start',
    fallback: undefined,
    fallbackShown: 'root',
    parse: matching(/^[\w-]+$/, 'a login'),
  },
  adminPassword: secret('HOB_ADMIN_PASSWORD', 'PASSWORD', "That administrator's password"),
  adminToken: secret('HOB_ADMIN_TOKEN', 'TOKEN', "That administrator's token"),
  logLevel: {
    variable: 'HOB_LOG_LEVEL',
    placeholder: logLevels.join('|'),
    about: 'How much is told on standard error',
    fallback: 'info',
    parse: oneOf(logLevels),
  } satisfies Setting<LogLevel>,
  vendor: {
    variable: 'HOB_VENDOR',
    placeholder: 'WORD',
    about: 'Vendor word of media types and headers; clients expect the default',
    fallback: 'github',
    parse: matching(/^[A-Za-z][A-Za-z0-9]{0,31}$/, 'a word of letters and digits'),
  },
};

type SettingName = keyof typeof table;

/** The same without the types of the values. */
const settingTable: Readonly<Record<SettingName, Setting<unknown>>> = table;

function chosen(names?: readonly SettingName[]): Setting<unknown>[] {
  return names ? names.map((name) => settingTable[name]) : Object.values(settingTable);
}

function onOrOff(text: string): Parsed<boolean> {
  return /^(on|off)$/.test(text) ? { value: text === 'on' } : { must: 'on or off' };
}

function readFlags(flags: readonly string[], problems: string[]): Map<string, string> {
  const known = settingFlags();
  const options = Object.fromEntries(known.map((flag) => [flag, { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args: [...flags],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const given = new Map<string, string>();
  // What follows an unknown flag is probably its value: one mistake is told once.
  let afterUnknown = -1;
  for (const token of tokens) {
    if (token.kind === 'positional' && token.index !== afterUnknown) {
      problems.push(`"${token.value}" is not understood here.`);
    }
    if (token.kind !== 'option') continue;
    if (!known.includes(token.name)) {
      problems.push(unknownFlag(token.rawName, known));
      afterUnknown = token.index + 1;
    } else if (token.value === undefined) problems.push(`${token.rawName} needs a value.`);
    else given.set(token.name, token.value);
  }
  return given;
}

function unknownFlag(rawName: string, known: readonly string[]): string {
  const nearest = nearestWord(rawName.replace(/^-+/, ''), known);
  return `There is no flag ${rawName}${nearest === undefined ? '.' : `; did you mean --${nearest}?`}`;
}

function helpOf(setting: Setting<unknown>): string {
  const flag = setting.flag === undefined ? '' : `--${setting.flag} ${setting.placeholder}, `;
  const value = setting.flag === undefined ? `=${setting.placeholder}` : '';
  const shown = setting.fallbackShown ?? String(setting.fallback);
  return `  ${flag}${setting.variable}${value}\n      ${setting.about} (default: ${shown})`;
}

function secret(variable: string, placeholder: string, about: string): Setting<string | undefined> {
  return {
    variable,
    placeholder,
    about,
    fallback: undefined,
    fallbackShown: 'made up and told once',
    secret: true,
    parse: (text) => ({ value: text }),
  };
}
