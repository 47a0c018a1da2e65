/** A subscription of a URL to events of a repository. */
export interface Webhook {
  readonly id: number;
  readonly target: WebhookTarget;
  readonly url: string;
  readonly contentType: 'json' | 'form';
  /** Signs deliveries; never shown. */
  readonly secret: string | null;
  readonly insecureSsl: boolean;
  readonly active: boolean;
  readonly events: readonly string[];
  /** The result of the last delivery; undefined before the first. */
  readonly last: { readonly code: number | null; readonly status: string } | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whose events it gets: of a repository, or of the installations of a GitHub App. */
export type WebhookTarget =
  | { readonly kind: 'repository'; readonly repositoryId: number }
  | { readonly kind: 'app'; readonly appId: number };

export type WebhookInput = Pick<
  Webhook,
  'url' | 'contentType' | 'secret' | 'insecureSsl' | 'active' | 'events'
>;
