import type { Sql } from '#platform/database/database.ts';

/**
 * Functions of this program as targets of webhooks. `hob serve` connects the function service to it, so that a webhook can reach a
 * function although loopback addresses are closed: nothing is connected to, and no name is resolved.
 */
export interface FunctionTargets {
  /** Whether a webhook of this source, a repository (`owner/name`) or an App (`apps/slug`), may have this URL, or ARN of a function. */
  check(url: string, source: string): Promise<TargetCheck>;
  /** Sends a delivery to a function URL. The promise may outlive the sender: a function that has started runs to its end. */
  post(url: string, request: FunctionRequest): Promise<PostResult>;
  /** Adds a delivery to the asynchronous events of a function, in the transaction of the delivery. */
  enqueue(sql: Sql, request: FunctionEvent): Promise<EnqueueResult>;
}

/** Whether the target of a webhook is a function by its ARN, not a URL. */
export function isArn(url: string): boolean {
  return url.startsWith('arn:');
}

export type TargetCheck =
  /** The URL is none of a function of this server. */
  { readonly kind: 'elsewhere' } | { readonly kind: 'allowed' } | Refused;

interface Refused {
  readonly kind: 'refused';
  /** A sentence for the user who configures the webhook. */
  readonly reason: string;
}

export interface FunctionRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The chain of requests that caused the event (platform/invocation-lineage.ts). */
  readonly lineage: string | undefined;
}

export type PostResult =
  | { readonly kind: 'elsewhere' }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: AsyncIterable<Uint8Array>;
    }
  | Refused;

export interface FunctionEvent extends FunctionRequest {
  readonly arn: string;
  /** `owner/name`, or `apps/slug` */
  readonly repository: string;
}

export type EnqueueResult =
  | {
      readonly kind: 'enqueued';
      /** Of the response to an asynchronous invocation. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | Refused;
