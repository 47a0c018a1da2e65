/** The operator's settings of the forge. */
export interface ForgeSettings {
  /** `scheme://host[:port]` without a trailing slash; every `*_url` begins with it. */
  readonly baseUrl: string;
  /**
   * Loopback aliases of the base URL, from Host header to base URL. Requests to an alias get URLs with the same alias,
   * because clients require that URLs stay on the same host.
   */
  readonly loopbackBaseUrls: ReadonlyMap<string, string>;
  /** strict: the operation that needs a preview media type responds with 415 without it (forge 8.3). */
  readonly previews: 'strict' | 'lenient';
  /** Requests an hour (forge 6.1). */
  readonly rateLimitUser: number;
  readonly rateLimitAnonymous: number;
  readonly rateLimitApplication: number;
  /** Whether bursts are limited, in addition to the hourly limits (routing/abuse-limit.ts). */
  readonly abuseLimits: boolean;
  /** Requests per minute of one caller for one URL whose response has not changed; 0: no limit. */
  readonly pollingLimit: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Whether webhooks may be sent to loopback and private addresses (webhooks/private-target.ts). */
  readonly webhookPrivateTargets: boolean;
  /** The vendor name in media types and headers (json/vendor.ts). */
  readonly vendor: string;
}
