import type { InstallationToken } from '../../model/app.ts';
import type { Ports } from '../../ports/ports.ts';

/** Validity of an installation token, as on GitHub. */
const lifetimeMilliseconds = 60 * 60_000;
const prefix = 'ghs_';
const context = 'installation token';
/** Length of an installation token: one for some hundred repositories fits, and the head of a request is limited anyway. */
const charactersMax = 16 * 1024;

/** A token that is stored nowhere: it is its own record, encrypted, so thousands cost nothing. */
export function issueInstallationToken(
  ports: Pick<Ports, 'clock' | 'randomBytes' | 'sealing'>,
  granted: Omit<InstallationToken, 'id' | 'expiresAt'>,
): { readonly text: string; readonly expiresAt: number } {
  // Responses have no fractions of seconds.
  const expiresAt = Math.floor((ports.clock.now() + lifetimeMilliseconds) / 1000) * 1000;
  const id = Buffer.from(ports.randomBytes(16)).toString('hex');
  const token: InstallationToken = { ...granted, id, expiresAt };
  const text = `${prefix}${ports.sealing.seal(Buffer.from(JSON.stringify(token)), context)}`;
  return { text, expiresAt };
}

/** undefined: not issued by this server. It may have expired. */
export function readInstallationToken(
  { sealing }: Pick<Ports, 'sealing'>,
  text: string,
): InstallationToken | undefined {
  if (text.length > charactersMax) return undefined;
  const bytes = sealing.unseal(text.slice(prefix.length), context);
  if (!bytes) return undefined;
  // Only issueInstallationToken() encrypts for this context.
  const token: InstallationToken = JSON.parse(Buffer.from(bytes).toString());
  return token;
}

export function isInstallationToken(text: string): boolean {
  return text.startsWith(prefix);
}
