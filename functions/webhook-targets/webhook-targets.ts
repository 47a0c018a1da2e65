import type { Sql } from '#platform/database/database.ts';

import type { FunctionPorts } from '../http/call.ts';
import { findUrlById } from '../urls/url-store.ts';
import type { HomeResponse } from '../ports/home-nodes.ts';
import type { Delivery } from './delivery.ts';
import { enqueueDelivery, findArnTarget } from './enqueue-delivery.ts';
import { ownFunctionUrl } from './own-function-url.ts';
import { requestFunctionUrl, type UrlOfFunction } from './request-function-url.ts';

/** Functions as targets of the forge's webhooks: by function URL, in process, and by ARN, as asynchronous events. */
export interface WebhookTargets {
  check(url: string, repository: string): Promise<Check>;
  post(url: string, delivery: Delivery): Promise<Posted>;
  enqueue(sql: Sql, delivery: ArnDelivery): ReturnType<typeof enqueueDelivery>;
}

type ArnDelivery = Parameters<typeof enqueueDelivery>[2];

type Check = { readonly kind: 'elsewhere' | 'allowed' } | Refused;

type Posted =
  | { readonly kind: 'elsewhere' }
  | ({ readonly kind: 'response' } & HomeResponse)
  | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

/** `onError` receives internal errors of functions, which a delivery shows as 500. */
export function createWebhookTargets(
  ports: FunctionPorts,
  onError: (error: unknown) => void,
): WebhookTargets {
  const { database, settings } = ports;

  async function find(text: string): Promise<Found> {
    const address = URL.parse(text);
    const target = address && ownFunctionUrl(settings, address);
    if (!target) return { kind: 'elsewhere' };
    const url = await database.readOne((sql) => findUrlById(sql, target.urlId));
    if (!url) return { kind: 'refused', reason: 'url is a function URL that does not exist' };
    if (url.authType !== 'NONE') return { kind: 'refused', reason: signaturesRequired };
    return { kind: 'found', found: { url, target, address } };
  }

  return {
    async check(url, repository) {
      if (url.startsWith('arn:')) {
        const arn = await database.read((sql) => findArnTarget(sql, settings, url, repository));
        return arn.kind === 'found' ? { kind: 'allowed' } : arn;
      }
      const found = await find(url);
      return found.kind === 'found' ? { kind: 'allowed' } : found;
    },
    async post(url, delivery) {
      const found = await find(url);
      if (found.kind !== 'found') return found;
      return {
        kind: 'response',
        ...(await requestFunctionUrl(ports, found.found, delivery, onError)),
      };
    },
    enqueue: (sql, delivery) => enqueueDelivery(sql, ports, delivery),
  };
}

type Found =
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'found'; readonly found: UrlOfFunction }
  | Refused;

const signaturesRequired =
  'url is a function URL with AuthType AWS_IAM, and webhooks have no AWS signature. Set its AuthType to NONE, or use the ARN of the function as url';
