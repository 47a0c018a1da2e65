import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { makeEcdsaKey, makeRsaKey, makeSshKey } from '../testing/ssh-keys.ts';
import { sshStrings } from './openssh-key-pair.ts';
import { parsePublicKey, publicKeyText, readPublicKey } from './public-key.ts';

function line(algorithm: string, ...fields: Buffer[]): string {
  const bytes = sshStrings(algorithm, ...fields);
  return `${algorithm} ${bytes.toString('base64')}`;
}

function problemOf(text: string): string {
  const parsed = parsePublicKey(text);
  return 'problem' in parsed ? parsed.problem : assert.fail(`${text} was accepted`);
}

const invalid = 'key is invalid. You must supply a key in OpenSSH public key format';

describe('a public key', () => {
  const { publicKey, privateKey } = makeSshKey();
  const [, base64 = ''] = publicKey.split(' ');

  it('is Ed25519, ECDSA of three curves, or RSA from 2048 bits', () => {
    const keys = [
      makeSshKey(),
      makeEcdsaKey(256),
      makeEcdsaKey(384),
      makeEcdsaKey(521),
      makeRsaKey(2048),
    ];
    for (const key of keys) {
      const parsed = parsePublicKey(`${key.publicKey}\n`);
      assert.ok(!('problem' in parsed), key.publicKey);
      assert.ok(key.publicKey.startsWith(publicKeyText(parsed)));
    }
    const parsed = parsePublicKey('ssh-ed25519   ' + base64 + '\tada at home  ');
    assert.equal('problem' in parsed ? undefined : parsed.comment, 'ada at home');
  });

  it('is refused without its type or bytes, with options, on two lines, or with bytes that no key has', () => {
    const texts = [
      '',
      'ssh-ed25519',
      base64,
      `command="sh" ${publicKey}`,
      `ssh-rsa ${base64}`,
      `ssh-ed25519 ${base64.slice(0, -4)}`,
      `ssh-ed25519 ${base64}AAAA`,
      `ssh-ed25519 ${base64.slice(0, -1)}-`,
      `${publicKey}\n${publicKey}`,
      `${publicKey}\0`,
      `toString ${base64}`,
      line('ssh-ed25519', Buffer.alloc(31)),
      line('ssh-ed25519', Buffer.alloc(32), Buffer.alloc(1)),
      line('ecdsa-sha2-nistp256', Buffer.from('nistp256'), Buffer.alloc(65, 4)),
      line('ecdsa-sha2-nistp256', Buffer.from('nistp384'), Buffer.alloc(65, 4)),
    ];
    for (const text of texts) assert.equal(problemOf(text), invalid, JSON.stringify(text));
    assert.match(problemOf(`ssh-ed25519 ${'A'.repeat(100_000)}`), /too long/);
  });

  it('is refused as a private key, as DSA, as a certificate, on hardware, and as weak RSA, each with the reason', () => {
    assert.match(problemOf(privateKey), /is a private key/);
    assert.match(problemOf('PuTTY-User-Key-File-3: ssh-ed25519'), /is a private key/);
    assert.match(problemOf(`ssh-dss ${base64}`), /DSA keys are too weak/);
    assert.match(problemOf(`ssh-ed25519-cert-v01@openssh.com ${base64}`), /not supported/);
    assert.match(problemOf(`sk-ssh-ed25519@openssh.com ${base64}`), /not supported/);
    assert.match(problemOf(makeRsaKey(1024).publicKey), /at least 2048 bits/);
  });

  it('of RSA has one form only, and an odd exponent of at most 64 bits', () => {
    const parsed = parsePublicKey(makeRsaKey(2048).publicKey);
    assert.ok(!('problem' in parsed));
    const { n = '', e = '' } = parsed.key.export({ format: 'jwk' });
    const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')];
    const positive = Buffer.concat([Buffer.alloc(1), modulus]);
    assert.ok(!('problem' in parsePublicKey(line('ssh-rsa', exponent, positive))));
    const twice = Buffer.concat([Buffer.alloc(2), modulus]);
    for (const fields of [
      [exponent, twice],
      [exponent, modulus],
      [Buffer.concat([Buffer.alloc(1), exponent]), positive],
      [Buffer.from([2]), positive],
      [Buffer.from([1]), positive],
      [Buffer.alloc(9, 3), positive],
      [Buffer.alloc(0), positive],
      [exponent, Buffer.alloc(0)],
      [exponent, Buffer.concat([Buffer.from([0]), Buffer.alloc(3000, 0xff)])],
    ]) {
      assert.equal(problemOf(line('ssh-rsa', ...fields)), invalid);
    }
  });

  it('that a client sends is never a crash', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(3),
      Buffer.from([255, 255, 255, 255]),
      sshStrings('__proto__'),
      sshStrings('constructor'),
      sshStrings('ssh-rsa'),
    ]) {
      assert.ok('problem' in readPublicKey(bytes));
    }
  });
});
