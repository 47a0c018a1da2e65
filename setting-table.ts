import { join } from 'node:path';

import { logLevels } from '#platform/log.ts';
import { matching, networks, oneOf, origin, wholeNumber } from '#platform/setting-values.ts';
import type { Parsed } from '#platform/setting-values.ts';

import type { Settings } from './settings.ts';

/** One setting: its names, its default and how its text is read. */
export interface Setting<T> {
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
  /** Its flag stands for "on" and needs no value. */
  readonly switch?: boolean;
  parse(text: string): Parsed<T>;
}

const hourly = (who: string, fallback: number, variable: string): Setting<number> => ({
  variable,
  placeholder: 'N',
  about: `Requests an hour ${who}`,
  fallback,
  parse: wholeNumber(1, 1_000_000_000),
});

/** Every setting, in the order of the help. */
export const settingTable = {
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
  tlsCert: {
    flag: 'tls-cert',
    variable: 'HOB_TLS_CERT',
    placeholder: 'FILE',
    about: 'Certificate (PEM) to serve HTTPS with, those between it and the authority after it',
    fallback: undefined,
    fallbackShown: 'plain HTTP',
    parse: file,
  } satisfies Setting<string | undefined>,
  tlsKey: {
    flag: 'tls-key',
    variable: 'HOB_TLS_KEY',
    placeholder: 'FILE',
    about: 'Private key (PEM) of that certificate',
    fallback: undefined,
    fallbackShown: 'plain HTTP',
    parse: file,
  } satisfies Setting<string | undefined>,
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
  redisUrl: {
    variable: 'HOB_REDIS_URL',
    placeholder: 'URL',
    about: 'Redis or Valkey in which several processes count requests together',
    fallback: undefined,
    fallbackShown: 'each process counts alone',
    secret: true,
    parse: matching(
      /^rediss?:\/\/(?:[^\s/@]*@)?[^\s/@]+(?:\/\d*)?$/,
      'redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER] or rediss://…',
    ),
  } satisfies Setting<string | undefined>,
  previews: {
    flag: 'previews',
    variable: 'HOB_PREVIEWS',
    placeholder: 'strict|lenient',
    about: "Whether updating a pull request's branch demands its preview",
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
  pollingLimit: {
    variable: 'HOB_POLLING_LIMIT',
    placeholder: 'N',
    about: 'Requests a minute of one caller for one address; 0 for any number',
    fallback: 120,
    parse: wholeNumber(0, 1_000_000),
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    variable: 'HOB_TRUSTED_PROXIES',
    placeholder: 'LIST',
    about: 'Addresses and networks of proxies whose X-Forwarded-For is believed',
    fallback: [],
    fallbackShown: 'none',
    parse: networks,
  } satisfies Setting<readonly string[]>,
  connectionsMax: {
    variable: 'HOB_CONNECTIONS',
    placeholder: 'N',
    about: 'Connections at the same time; more are answered 503',
    fallback: 2048,
    parse: wholeNumber(10, 1_000_000),
  },
  connectionsPerAddressMax: {
    variable: 'HOB_CONNECTIONS_PER_ADDRESS',
    placeholder: 'N',
    about: 'Connections of one address at the same time, loopback and trusted proxies aside',
    fallback: 256,
    parse: wholeNumber(1, 1_000_000),
  },
  bytesPerSecondMin: {
    variable: 'HOB_MIN_TRANSFER_RATE',
    placeholder: 'N',
    about: 'Bytes a second that a client must send of a body and read of an answer; 0 for any rate',
    fallback: 256,
    parse: wholeNumber(0, 1_000_000),
  },
  stopDelaySeconds: {
    variable: 'HOB_STOP_DELAY_SECONDS',
    placeholder: 'N',
    about: 'Seconds that a server told to stop goes on serving while /readyz answers 503',
    fallback: 0,
    parse: wholeNumber(0, 3600),
  },
  maintenance: {
    variable: 'HOB_MAINTENANCE',
    placeholder: 'on|off',
    about: 'Whether repositories are packed and what is over is removed while the server runs',
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
  region: {
    variable: 'HOB_REGION',
    placeholder: 'REGION',
    about: 'Region of the function service; clients sign for it',
    fallback: 'us-east-1',
    parse: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region like us-east-1'),
  },
  accountId: {
    variable: 'HOB_ACCOUNT_ID',
    placeholder: 'DIGITS',
    about: 'Account of the function service, in every ARN',
    fallback: '123456789012',
    parse: matching(/^\d{12}$/, 'twelve digits'),
  },
  allowUnsigned: {
    flag: 'allow-unsigned',
    switch: true,
    variable: 'HOB_ALLOW_UNSIGNED',
    placeholder: 'on|off',
    about: 'Whether the function service takes requests without a signature',
    fallback: false,
    fallbackShown: 'off',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  accessKeyId: {
    variable: 'HOB_ACCESS_KEY_ID',
    placeholder: 'ID',
    about:
      'Access key of the site administrator, unless it was there before; ids of sessions begin with ASIA',
    fallback: undefined,
    fallbackShown: 'none',
    parse: matching(
      /^(?!ASIA)[A-Za-z0-9]{3,128}$/,
      '3 to 128 letters and digits, not beginning with ASIA',
    ),
  },
  secretAccessKey: {
    variable: 'HOB_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    about: 'Its secret',
    fallback: undefined,
    fallbackShown: 'none',
    secret: true,
    parse: matching(/^[!-~]{8,128}$/, '8 to 128 printable ASCII characters without spaces'),
  },
  logLevel: {
    variable: 'HOB_LOG_LEVEL',
    placeholder: logLevels.join('|'),
    about: 'How much is told on standard error',
    fallback: 'info',
    parse: oneOf(logLevels),
  } satisfies Setting<Settings['logLevel']>,
  vendor: {
    variable: 'HOB_VENDOR',
    placeholder: 'WORD',
    about: 'Vendor word of media types and headers; clients expect the default',
    fallback: 'github',
    parse: matching(/^[A-Za-z][A-Za-z0-9]{0,31}$/, 'a word of letters and digits'),
  },
};

function file(text: string): Parsed<string> {
  return matching(/^[^\0]+$/, 'a file')(text);
}

function onOrOff(text: string): Parsed<boolean> {
  return /^(on|off)$/.test(text) ? { value: text === 'on' } : { must: 'on or off' };
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
