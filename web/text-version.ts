import { createHmac } from 'node:crypto';

/** Names what a form shows, so that another version is noticed. It proves nothing about texts that its reader cannot see: it takes the secret of the session. */
export function textVersion(secret: string, texts: readonly (string | null)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(texts)).digest('base64url');
}
