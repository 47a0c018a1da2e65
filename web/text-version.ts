import { createHmac } from 'node:crypto';

/** Names what a form shows, so that another version is noticed. Its key is the secret of the session, so that nobody can guess hidden texts by it. */
export function textVersion(secret: string, texts: readonly (string | null)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(texts)).digest('base64url');
}
