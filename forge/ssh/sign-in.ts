import type { AuthContext } from 'ssh2';

import type { Ports } from '../ports/ports.ts';
import { fingerprintOf, isSignedBy, readPublicKey } from '../ssh-keys/public-key.ts';
import type { SshKey } from '../model/ssh-key.ts';
import { recordSshKeyUse, sshKeyByFingerprint } from '../ssh-keys/ssh-key-store.ts';

/** All users have this name; the key says who they are. */
export const sshUser = 'git';

/** What an attempt comes to: the key has signed; it is known, and may sign; or it is not accepted. */
export type KeySignInResult =
  | { readonly kind: 'signed-in'; readonly key: SshKey }
  | { readonly kind: 'known' | 'refused' };

const refused: KeySignInResult = { kind: 'refused' };

/** Decides an attempt to sign in: with a public key (RFC 4252, section 7) and nothing else. */
export async function signInWithKey(
  { database, clock, background }: Pick<Ports, 'database' | 'clock' | 'background'>,
  attempt: AuthContext,
): Promise<KeySignInResult> {
  if (attempt.method !== 'publickey' || attempt.username !== sshUser) return refused;
  const { key: offered, signature, blob, hashAlgo } = attempt;
  const publicKey = readPublicKey(offered.data);
  if ('problem' in publicKey || publicKey.algorithm !== offered.algo) return refused;
  const fingerprint = fingerprintOf(publicKey.bytes);
  const key = await database.read((sql) => sshKeyByFingerprint(sql, fingerprint));
  if (!key) return refused;
  if (!signature || !blob) return { kind: 'known' };
  if (!isSignedBy(publicKey, blob, signature, hashAlgo)) return refused;
  // Fetches go on where nothing can be written, as over HTTP.
  background.run(`use of SSH key ${key.id}`, () =>
    database.write((sql) => recordSshKeyUse(sql, key.id, clock.now())),
  );
  return { kind: 'signed-in', key };
}
