import { join } from 'node:path';

import { logLevels } from '#platform/log.ts';
import { matching, networks, oneOf, origin, wholeNumber } from '#platform/setting-values.ts';
import type { Parsed } from '#platform/setting-values.ts';
import type { Setting } from './setting.ts';
import type { Settings } from './setting-values.ts';

const hourly = (who: string, fallback: number, variable: string): Setting<number> => ({
  variable,
  placeholder: 'N',
  about: `Requests per hour ${who}`,
  fallback,
  parse: wholeNumber(1, 1_000_000_000),
});

/** Every setting, in the order of the help. */
export const settingTable = {
  port: {
    flag: 'port',
    variable: 'HOB_PORT',
    placeholder: 'PORT',
    about: 'TCP port; 0 selects a free port',
    fallback: 3000,
    parse: wholeNumber(0, 65_535),
  },
  host: {
    flag: 'host',
    variable: 'HOB_HOST',
    placeholder: 'HOST',
    about: 'Address to listen on; 0.0.0.0 or :: for all addresses',
    fallback: '127.0.0.1',
    parse: matching(/^[\w.:%-]+$/, 'an IP address or a host name'),
  },
  data: {
    flag: 'data',
    variable: 'HOB_DATA',
    placeholder: 'FOLDER',
    about: 'Data directory: repositories, functions and the embedded database',
    fallback: join(import.meta.dirname, '..', 'data'),
    fallbackShown: 'the folder "data" next to the program',
    parse: matching(/^[^\0]+$/, 'a folder'),
  },
  baseUrl: {
    flag: 'base-url',
    variable: 'HOB_BASE_URL',
    placeholder: 'URL',
    about: 'URL at which clients reach the server; prefix of every URL in responses',
    fallback: undefined,
    fallbackShown: 'the address of --host and --port',
    parse: origin,
  },
  tlsCert: {
    flag: 'tls-cert',
    variable: 'HOB_TLS_CERT',
    placeholder: 'FILE',
    about: 'Certificate chain (PEM) for HTTPS: server certificate first, then intermediates',
    fallback: undefined,
    fallbackShown: 'plain HTTP',
    parse: file,
  } satisfies Setting<string | undefined>,
  tlsKey: {
    flag: 'tls-key',
    variable: 'HOB_TLS_KEY',
    placeholder: 'FILE',
    about: 'Private key (PEM) of the certificate',
    fallback: undefined,
    fallbackShown: 'plain HTTP',
    parse: file,
  } satisfies Setting<string | undefined>,
  database: {
    flag: 'database',
    variable: 'DATABASE_URL',
    placeholder: 'URL',
    about: 'Database: postgres://… or sqlite:PATH',
    fallback: undefined,
    fallbackShown: 'SQLite in the data directory',
    secret: true,
    parse: matching(
      /^(postgres(ql)?:\/\/|sqlite:)./,
      'postgres://USER:PASSWORD@HOST/NAME or sqlite:PATH',
    ),
  },
  redisUrl: {
    variable: 'HOB_REDIS_URL',
    placeholder: 'URL',
    about: 'Redis or Valkey server for rate limits that several processes share',
    fallback: undefined,
    fallbackShown: 'each process counts separately',
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
    about: "Preview media type for updating a pull request's branch: strict requires it",
    fallback: 'strict',
    parse: oneOf(['strict', 'lenient']),
  } satisfies Setting<Settings['previews']>,
  rateLimitUser: hourly('per user', 5000, 'HOB_RATE_LIMIT_USER'),
  rateLimitAnonymous: hourly('per IP address, without credentials', 60, 'HOB_RATE_LIMIT_ANONYMOUS'),
  rateLimitApplication: hourly('per application', 5000, 'HOB_RATE_LIMIT_APPLICATION'),
  rateLimitSearch: {
    ...hourly('', 30, 'HOB_RATE_LIMIT_SEARCH'),
    about: 'Searches per minute with credentials; a third of it without, and for code',
  },
  abuseLimits: {
    variable: 'HOB_ABUSE_LIMITS',
    placeholder: 'on|off',
    about: 'Limits bursts of requests, in addition to the hourly limits',
    fallback: true,
    fallbackShown: 'on',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  pollingLimit: {
    variable: 'HOB_POLLING_LIMIT',
    placeholder: 'N',
    about:
      'Requests per minute of one caller for one URL that does not change; 0 disables the limit',
    fallback: 120,
    parse: wholeNumber(0, 1_000_000),
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    variable: 'HOB_TRUSTED_PROXIES',
    placeholder: 'LIST',
    about: 'Addresses and networks of proxies whose X-Forwarded-For is trusted',
    fallback: [],
    fallbackShown: 'none',
    parse: networks,
  } satisfies Setting<readonly string[]>,
  connectionsMax: {
    variable: 'HOB_CONNECTIONS',
    placeholder: 'N',
    about: 'Maximum concurrent connections; further connections get 503',
    fallback: 2048,
    parse: wholeNumber(10, 1_000_000),
  },
  connectionsPerAddressMax: {
    variable: 'HOB_CONNECTIONS_PER_ADDRESS',
    placeholder: 'N',
    about:
      'Maximum concurrent connections per IP address, except loopback and trusted proxies; further connections get 429',
    fallback: 256,
    parse: wholeNumber(1, 1_000_000),
  },
  bytesPerSecondMin: {
    variable: 'HOB_MIN_TRANSFER_RATE',
    placeholder: 'N',
    about: 'Minimum bytes per second for request and response bodies; 0 disables the limit',
    fallback: 256,
    parse: wholeNumber(0, 1_000_000),
  },
  stopDelaySeconds: {
    variable: 'HOB_STOP_DELAY_SECONDS',
    placeholder: 'N',
    about: 'Seconds for which a stopping server keeps serving requests while /readyz returns 503',
    fallback: 0,
    parse: wholeNumber(0, 3600),
  },
  maintenance: {
    variable: 'HOB_MAINTENANCE',
    placeholder: 'on|off',
    about: 'Runs maintenance in the background: packs repositories and deletes expired data',
    fallback: true,
    fallbackShown: 'on',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  webhookPrivateTargets: {
    variable: 'HOB_WEBHOOK_PRIVATE_TARGETS',
    placeholder: 'on|off',
    about: 'Allows webhooks to loopback and private addresses',
    fallback: false,
    fallbackShown: 'off',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  testControls: {
    flag: 'test-controls',
    switch: true,
    variable: 'HOB_TEST_CONTROLS',
    placeholder: 'off|on|any-address',
    about:
      'For tests of clients: site administrators reset the server, set its clock and simulate failures; any-address also where it listens on more than loopback',
    fallback: 'off',
    parse: oneOf(['off', 'on', 'any-address']),
  } satisfies Setting<Settings['testControls']>,
  seed: {
    flag: 'seed',
    variable: 'HOB_SEED',
    placeholder: 'FILE',
    about:
      'YAML file of users, repositories and functions to create at the start; needs --test-controls',
    fallback: undefined,
    fallbackShown: 'none',
    parse: file,
  } satisfies Setting<string | undefined>,
  adminLogin: {
    variable: 'HOB_ADMIN_LOGIN',
    placeholder: 'LOGIN',
    about: 'Login of the site administrator that the first start creates',
    fallback: undefined,
    fallbackShown: 'root',
    parse: matching(/^[\w-]+$/, 'a login'),
  },
  adminPassword: secret(
    'HOB_ADMIN_PASSWORD',
    'PASSWORD',
    'Password of the site administrator that the first start creates',
  ),
  adminToken: secret(
    'HOB_ADMIN_TOKEN',
    'TOKEN',
    'Token of the site administrator that the first start creates',
  ),
  region: {
    variable: 'HOB_REGION',
    placeholder: 'REGION',
    about: 'Region of the function service, in ARNs and request signatures',
    fallback: 'us-east-1',
    parse: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region like us-east-1'),
  },
  accountId: {
    variable: 'HOB_ACCOUNT_ID',
    placeholder: 'DIGITS',
    about: 'Account ID of the function service, in ARNs',
    fallback: '123456789012',
    parse: matching(/^\d{12}$/, 'twelve digits'),
  },
  allowUnsigned: {
    flag: 'allow-unsigned',
    switch: true,
    variable: 'HOB_ALLOW_UNSIGNED',
    placeholder: 'on|off',
    about: 'Accepts unsigned requests to the function service; signatures are still verified',
    fallback: false,
    fallbackShown: 'off',
    parse: onOrOff,
  } satisfies Setting<boolean>,
  accessKeyId: {
    variable: 'HOB_ACCESS_KEY_ID',
    placeholder: 'ID',
    about:
      'Access key of the site administrator, created unless it exists; must not begin with ASIA, the prefix of session keys',
    fallback: undefined,
    fallbackShown: 'generated and printed once',
    parse: matching(
      /^(?!ASIA)[A-Za-z0-9]{3,128}$/,
      '3 to 128 letters and digits, not beginning with ASIA',
    ),
  },
  secretAccessKey: {
    variable: 'HOB_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    about: 'Secret access key of that access key',
    fallback: undefined,
    fallbackShown: 'generated and printed once',
    secret: true,
    parse: matching(/^[!-~]{8,128}$/, '8 to 128 printable ASCII characters without spaces'),
  },
  logLevel: {
    variable: 'HOB_LOG_LEVEL',
    placeholder: logLevels.join('|'),
    about: 'Log level on standard error',
    fallback: 'info',
    parse: oneOf(logLevels),
  } satisfies Setting<Settings['logLevel']>,
  vendor: {
    variable: 'HOB_VENDOR',
    placeholder: 'WORD',
    about: 'Vendor name in media types and headers; clients expect the default',
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
    fallbackShown: 'generated and printed once',
    secret: true,
    parse: (text) => ({ value: text }),
  };
}
