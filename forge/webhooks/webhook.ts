/** An address that is told what happens in a repository. */
export interface Webhook {
  readonly id: number;
  readonly repositoryId: number;
  readonly url: string;
  readonly contentType: 'json' | 'form';
  /** Never shown: it signs deliveries. */
  readonly secret: string | null;
  readonly insecureSsl: boolean;
  readonly active: boolean;
  readonly events: readonly string[];
  /** What the last delivery came to; undefined before the first. */
  readonly last: { readonly code: number | null; readonly status: string } | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type WebhookInput = Pick<
  Webhook,
  'url' | 'contentType' | 'secret' | 'insecureSsl' | 'active' | 'events'
>;
