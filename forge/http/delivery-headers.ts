import { createHmac } from 'node:crypto';

import type { VendorNames } from '../json/vendor.ts';

export interface SentBody {
  readonly event: string;
  readonly guid: string;
  readonly webhookId: number;
  readonly target: { readonly type: 'repository' | 'integration'; readonly id: number };
  readonly secret: string | null;
  readonly contentType: 'json' | 'form';
  readonly body: Buffer;
}

/** The headers of a webhook delivery. With a secret, the receiver can verify the sender by the signatures. */
export function deliveryHeaders(vendor: VendorNames, sent: SentBody): Record<string, string> {
  const { headerPrefix } = vendor;
  const signature = (algorithm: 'sha1' | 'sha256', secret: string): string =>
    `${algorithm}=${createHmac(algorithm, secret).update(sent.body).digest('hex')}`;
  return {
    Accept: '*/*',
    'Content-Type':
      sent.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    'Content-Length': String(sent.body.length),
    // GitHub documents this prefix; there a build id follows it.
    'User-Agent': `${vendor.name}-Hookshot/hob`,
    [`${headerPrefix}Event`]: sent.event,
    [`${headerPrefix}Delivery`]: sent.guid,
    [`${headerPrefix}Hook-ID`]: String(sent.webhookId),
    [`${headerPrefix}Hook-Installation-Target-Type`]: sent.target.type,
    [`${headerPrefix}Hook-Installation-Target-ID`]: String(sent.target.id),
    ...(sent.secret === null
      ? {}
      : {
          // Without GitHub's name, because other services also use this header.
          'X-Hub-Signature': signature('sha1', sent.secret),
          'X-Hub-Signature-256': signature('sha256', sent.secret),
        }),
  };
}
