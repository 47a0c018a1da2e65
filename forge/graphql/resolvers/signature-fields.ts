import type { Commit } from '../../git/git.ts';
import { always, type Fields, type Resolvers } from './context.ts';
import type { CommitSource } from './sources.ts';

interface SignatureSource {
  readonly typeName: string;
  readonly commit: Commit;
}

/** The type of a signature by its armour. */
const armours = [
  ['-----BEGIN PGP SIGNATURE-----', 'GpgSignature'],
  ['-----BEGIN SSH SIGNATURE-----', 'SshSignature'],
  ['-----BEGIN SIGNED MESSAGE-----', 'SmimeSignature'],
] as const;

function signatureOf({ commit }: CommitSource): SignatureSource | null {
  const { signature } = commit;
  if (signature === undefined) return null;
  const known = armours.find(([armour]) => signature?.trimStart().startsWith(armour));
  return { typeName: known?.[1] ?? 'UnknownSignature', commit };
}

/** Hob stores no keys of signers, so no signature is verified, as over REST (commits/commit-json.ts). */
const signatureFields: Fields<SignatureSource> = {
  email: ({ commit }) => commit.committer.email,
  isValid: always(false),
  payload: ({ commit }) => commit.payload ?? '',
  signature: ({ commit }) => commit.signature ?? '',
  signer: always(null),
  state: ({ commit }) => (commit.signature === null ? 'MALFORMED_SIG' : 'UNKNOWN_KEY'),
  verifiedAt: always(null),
  wasSignedByGitHub: always(false),
};

export const signatureResolvers: Resolvers = {
  Commit: { signature: signatureOf } satisfies Fields<CommitSource>,
  GpgSignature: { ...signatureFields, keyId: always(null) },
  SshSignature: { ...signatureFields, keyFingerprint: always(null) },
  SmimeSignature: signatureFields,
  UnknownSignature: signatureFields,
};
