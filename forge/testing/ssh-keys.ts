import { generateKeyPairSync } from 'node:crypto';

import {
  createEd25519KeyPair,
  type OpenSshKeyPair,
  sshStrings,
} from '../ssh-keys/openssh-key-pair.ts';

export function makeSshKey(comment = 'key@test'): OpenSshKeyPair {
  return createEd25519KeyPair(comment);
}

export function makeEcdsaKey(bits: 256 | 384 | 521): OpenSshKeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: `P-${bits}` });
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
  const bytes = sshStrings(`ecdsa-sha2-nistp${bits}`, `nistp${bits}`, point);
  return {
    publicKey: `ecdsa-sha2-nistp${bits} ${bytes.toString('base64')}`,
    privateKey: privateKey.export({ format: 'pem', type: 'sec1' }),
  };
}

export function makeRsaKey(bits: number): OpenSshKeyPair {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const { n = '', e = '' } = privateKey.export({ format: 'jwk' });
  const modulus = Buffer.concat([Buffer.alloc(1), Buffer.from(n, 'base64url')]);
  const bytes = sshStrings('ssh-rsa', Buffer.from(e, 'base64url'), modulus);
  return {
    publicKey: `ssh-rsa ${bytes.toString('base64')}`,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs1' }),
  };
}
