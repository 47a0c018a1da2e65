import type { ArchivesLocation } from '#functions/code/archives/archives-location.ts';
import type { LogLevel } from '#platform/log-levels.ts';

import type { FunctionSettingValues } from './function-setting-table.ts';

/** The value of every setting of the server. */
export interface Settings {
  /** 0 lets the system choose. */
  readonly port: number;
  readonly host: string;
  /** For git over SSH; 0 lets the system choose, undefined: off. */
  readonly sshPort: number | undefined;
  /** At which clients reach it; undefined: the same. */
  readonly sshPublicPort: number | undefined;
  /** The data directory. */
  readonly data: string;
  /** `scheme://host[:port]`; undefined: the address that is listened on. */
  readonly baseUrl: string | undefined;
  /** Files that speak HTTPS makes of the port; undefined: plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** A URL of openDatabase; undefined: SQLite in the data directory. */
  readonly database: string | undefined;
  /** With PostgreSQL: for reads, and as many for writes. */
  readonly databaseConnections: number;
  /** Undefined: the server is alone, and refuses others on its database. */
  readonly cluster: ClusterSettings | undefined;
  /** Where several processes count requests together; undefined: each counts alone. */
  readonly redisUrl: string | undefined;
  readonly previews: 'strict' | 'lenient';
  readonly rateLimitUser: number;
  readonly rateLimitAnonymous: number;
  readonly rateLimitApplication: number;
  /** Searches a minute. */
  readonly rateLimitSearch: number;
  readonly abuseLimits: boolean;
  /** Requests a minute of one caller for one unchanged address; 0: no limit. */
  readonly pollingLimit: number;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Connections at the same time, in total and of one address. */
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** How fast a client must send and read at least; 0: at any rate. */
  readonly bytesPerSecondMin: number;
  /** How long a server that stops goes on taking requests while `/readyz` answers 503. */
  readonly stopDelaySeconds: number;
  /** Whether repositories are packed and what is over is removed while the server runs. */
  readonly maintenance: boolean;
  readonly webhookPrivateTargets: boolean;
  /** Whether users import repositories from other servers. */
  readonly imports: 'off' | 'on' | 'private';
  /** Whether the server fetches images of other servers that texts on pages show. */
  readonly imageProxy: 'off' | 'on' | 'private';
  /** A file that says what the server is filled with at the start; only with test controls. */
  readonly seed: string | undefined;
  /** Whether site administrators may reset the server and simulate failures (commands/serve/test-controls/). */
  readonly testControls: 'off' | 'on' | 'any-address';
  /** The site administrator made at the first start; what is undefined is made up. */
  readonly admin: {
    readonly login: string | undefined;
    readonly password: string | undefined;
    readonly token: string | undefined;
  };
  /** Where the function service says it is, in ARNs and signatures. */
  readonly region: string;
  /** The function service's account: twelve digits. */
  readonly accountId: string;
  /** Whether the function service answers unsigned requests. */
  readonly allowUnsigned: boolean;
  /** An access key of the site administrator, both parts or neither. */
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  /** Undefined: archives of code are in the data directory, or in that of the cluster. */
  readonly code: ArchivesLocation | undefined;
  readonly functions: FunctionSettingValues;
  readonly logLevel: LogLevel;
  readonly accessLog: boolean;
  /** Who can read `/metrics`. */
  readonly metrics:
    | { readonly kind: 'off' }
    | { readonly kind: 'loopback' }
    | { readonly kind: 'token'; readonly file: string };
  readonly vendor: string;
}

/** Of a server that is one of several nodes. */
export interface ClusterSettings {
  /** `host:port` at which the other nodes reach this one. */
  readonly address: string;
  /** The folder that all nodes share. */
  readonly data: string;
}
