/** What the forge lets its operator choose. */
export interface ForgeSettings {
  /** `scheme://host[:port]` without a trailing slash; every `*_url` begins with it. */
  readonly baseUrl: string;
  /**
   * Other spellings of the address that are answered with URLs of their own: the loopback names, since clients insist
   * that URLs stay on the host they were given. Host header value to base URL.
   */
  readonly loopbackBaseUrls: ReadonlyMap<string, string>;
  /** strict: the operation that the spec puts behind a preview media type answers 415 without it (spec, Versioning 2). */
  readonly previews: 'strict' | 'lenient';
  /** Requests an hour (spec, Limits). */
  readonly rateLimitUser: number;
  readonly rateLimitAnonymous: number;
  readonly rateLimitApplication: number;
  /** Whether bursts are limited, in addition to the hourly limits (routing/abuse-limit.ts). */
  readonly abuseLimits: boolean;
  /** Requests a minute of one caller for one address that has not changed; 0: no limit. */
  readonly pollingLimit: number;
  /** Addresses and networks whose word on where a request comes from is taken (`X-Forwarded-For`). */
  readonly trustedProxies: readonly string[];
  /** Whether webhooks may be sent to loopback and private addresses (webhooks/private-target.ts). */
  readonly webhookPrivateTargets: boolean;
  /** The vendor word of media types and headers (json/vendor.ts). */
  readonly vendor: string;
}
