import { createHmac } from 'node:crypto';

import { systemRandom } from '#platform/random.ts';

import type { ForgeSettings, Ports } from '../ports/ports.ts';

/** Gives out random texts instead of encrypting, and remembers what they stand for. */
export function testSealing(): Ports['sealing'] {
  const sealed: { readonly plain: Uint8Array; readonly context: string; readonly text: string }[] =
    [];
  const key = Buffer.from(systemRandom.token());
  const derive = (purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest();
  return {
    derive: (purpose) => ({ name: 'test', key: derive(purpose) }),
    deriveFrom: (name, purpose) => (name === 'test' ? derive(purpose) : undefined),
    seal(plain, context) {
      const text = `${sealed.length}.${systemRandom.token()}`;
      sealed.push({ plain, context, text });
      return text;
    },
    unseal: (text, context) =>
      sealed.find((each) => each.text === text && each.context === context)?.plain,
  };
}

/** Passwords in tests are not worth a slow hash. */
export const testPasswords: Ports['passwords'] = {
  hash: async (password) => `plain:${password}`,
  verify: async (password, hash) => hash === `plain:${password}`,
};

export const testSettings: ForgeSettings = {
  baseUrl: 'http://forge.test',
  loopbackBaseUrls: new Map(),
  previews: 'strict',
  rateLimitUser: 1_000_000,
  rateLimitAnonymous: 1_000_000,
  rateLimitApplication: 1_000_000,
  rateLimitSearch: 1_000_000,
  abuseLimits: false,
  pollingLimit: 0,
  trustedProxies: [],
  webhookPrivateTargets: false,
  imageProxy: 'on',
  imports: 'on',
  vendor: 'github',
};
