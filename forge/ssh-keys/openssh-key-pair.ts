import { generateKeyPairSync } from 'node:crypto';

import { systemRandom } from '#platform/random.ts';

export interface OpenSshKeyPair {
  /** As in `id_ed25519.pub`. */
  readonly publicKey: string;
  /** As in `id_ed25519`, not encrypted. */
  readonly privateKey: string;
}

/** An Ed25519 key pair in OpenSSH's formats (PROTOCOL.key in OpenSSH's sources), which Node.js does not write. */
export function createEd25519KeyPair(comment: string): OpenSshKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const publicBytes = sshStrings('ssh-ed25519', point);
  const check = systemRandom.bytes(4);
  const privateFields = Buffer.concat([
    check,
    check,
    publicBytes,
    sshStrings(Buffer.concat([seed, point]), comment),
  ]);
  // Padded to the block size of no cipher, which is 8.
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, -privateFields.length & 7);
  const bytes = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    sshStrings('none', 'none', ''),
    Buffer.from([0, 0, 0, 1]),
    sshStrings(publicBytes, Buffer.concat([privateFields, padding])),
  ]);
  const lines = bytes.toString('base64').replaceAll(/.{1,70}/g, '$&\n');
  return {
    publicKey: `ssh-ed25519 ${publicBytes.toString('base64')} ${comment}`,
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}-----END OPENSSH PRIVATE KEY-----\n`,
  };
}

/** Strings as SSH sends them, one after the other (RFC 4251, section 5). */
export function sshStrings(...contents: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(
    contents.flatMap((content) => {
      const bytes = Buffer.from(content);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
