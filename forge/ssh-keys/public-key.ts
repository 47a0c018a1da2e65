import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** A public key as OpenSSH writes it (RFC 4253, section 6.6; RFC 5656; RFC 8709). */
export interface PublicKey {
  readonly algorithm: string;
  /** What SSH sends and what the fingerprint is of. */
  readonly bytes: Buffer;
  readonly comment: string;
  readonly key: KeyObject;
}

export type ParsedPublicKey = PublicKey | { readonly problem: string };

/** Text of an SSH key. An RSA key of 16,384 bits, the most that OpenSSH takes, has 2,800 characters. */
const textCharactersMax = 8192;
/** Bits of an RSA key; a shorter one is refused. */
const rsaBitsMin = 2048;
/** Bits of an RSA key; a longer one is refused. */
const rsaBitsMax = 16_384;

const invalidFormat = 'key is invalid. You must supply a key in OpenSSH public key format';

/** Reads one line as of `id_ed25519.pub`. A key has one text only, so that it cannot be registered twice. */
export function parsePublicKey(text: string): ParsedPublicKey {
  if (/PRIVATE KEY|PuTTY-User-Key-File/.test(text)) {
    return {
      problem:
        'key is a private key, which must stay on your machine. Supply the public key, for example that of the file whose name ends in .pub, of a new pair',
    };
  }
  if (text.length > textCharactersMax) return { problem: 'key is invalid. It is too long' };
  const line = text.trim();
  const match = /^(\S+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*))?$/.exec(line);
  if (!match || /\p{Cc}/u.test(line.replaceAll('\t', ' '))) return { problem: invalidFormat };
  const [, algorithm = '', base64 = '', comment = ''] = match;
  if (!readers.has(algorithm)) return { problem: problemOf(algorithm) };
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return { problem: invalidFormat };
  const key = readPublicKey(bytes);
  if ('problem' in key) return key;
  return key.algorithm === algorithm ? { ...key, comment } : { problem: invalidFormat };
}

/** Reads the bytes that SSH sends. */
export function readPublicKey(bytes: Buffer): ParsedPublicKey {
  try {
    const fields = new Fields(bytes);
    const algorithm = fields.take().toString('latin1');
    const reader = readers.get(algorithm);
    if (!reader) return { problem: problemOf(algorithm) };
    const key = reader(fields);
    fields.end();
    return typeof key === 'string' ? { problem: key } : { algorithm, bytes, comment: '', key };
  } catch {
    // The fields are cut off, or OpenSSL does not take the numbers, for example a point that is not on the curve.
    return { problem: invalidFormat };
  }
}

/** The key without its comment, as in authorized_keys. */
export function publicKeyText({ algorithm, bytes }: PublicKey): string {
  return `${algorithm} ${bytes.toString('base64')}`;
}

/** As `ssh-keygen -l` shows it, without the prefix `SHA256:`. */
export function fingerprintOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
}

/** Whether the owner of the key signed the data. RSA with SHA-1 counts as no signature (RFC 8332). */
export function isSignedBy(
  { algorithm, key }: PublicKey,
  data: Buffer,
  signature: Buffer,
  rsaHash: string | undefined,
): boolean {
  const hash = algorithm === 'ssh-rsa' ? rsaHash : hashes.get(algorithm);
  if (algorithm === 'ssh-rsa' && hash !== 'sha256' && hash !== 'sha512') return false;
  return verify(hash, data, key, signature);
}

/** Ed25519 has its own. */
const hashes: ReadonlyMap<string, string> = new Map([
  ['ecdsa-sha2-nistp256', 'sha256'],
  ['ecdsa-sha2-nistp384', 'sha384'],
  ['ecdsa-sha2-nistp521', 'sha512'],
]);

/** Gives the key, or why it is refused. */
type Reader = (fields: Fields) => KeyObject | string;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['ssh-ed25519', readEd25519],
  ['ssh-rsa', readRsa],
  ['ecdsa-sha2-nistp256', (fields) => readEcdsa(fields, 'nistp256', 'P-256', 32)],
  ['ecdsa-sha2-nistp384', (fields) => readEcdsa(fields, 'nistp384', 'P-384', 48)],
  ['ecdsa-sha2-nistp521', (fields) => readEcdsa(fields, 'nistp521', 'P-521', 66)],
]);

function problemOf(algorithm: string): string {
  if (algorithm === 'ssh-dss') {
    return 'key is invalid. DSA keys are too weak: create one with ssh-keygen -t ed25519';
  }
  if (/^(sk-|.*-cert-v01@openssh\.com$)/.test(algorithm)) {
    return `key is invalid. Keys of the type ${algorithm.slice(0, 100)} are not supported: create one with ssh-keygen -t ed25519`;
  }
  return invalidFormat;
}

function readEd25519(fields: Fields): KeyObject | string {
  const point = fields.take();
  if (point.length !== 32) return invalidFormat;
  return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') });
}

function readEcdsa(fields: Fields, name: string, crv: string, size: number): KeyObject | string {
  const named = fields.take().toString('latin1');
  const point = fields.take();
  // Uncompressed points only, as in OpenSSH.
  if (named !== name || point.length !== 1 + 2 * size || point[0] !== 4) return invalidFormat;
  return fromJwk({
    kty: 'EC',
    crv,
    x: point.toString('base64url', 1, 1 + size),
    y: point.toString('base64url', 1 + size),
  });
}

function readRsa(fields: Fields): KeyObject | string {
  const exponent = fields.takeNumber();
  const modulus = fields.takeNumber();
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;
  if (bits < rsaBitsMin) {
    return `key is too weak. RSA keys must have at least ${rsaBitsMin} bits: create one with ssh-keygen -t ed25519`;
  }
  const odd = ((exponent.at(-1) ?? 0) & (modulus.at(-1) ?? 0) & 1) === 1;
  // A larger exponent makes every verification slow.
  if (bits > rsaBitsMax || exponent.length > 8 || !odd || exponent.equals(Buffer.from([1]))) {
    return invalidFormat;
  }
  return fromJwk({
    kty: 'RSA',
    n: modulus.toString('base64url'),
    e: exponent.toString('base64url'),
  });
}

function fromJwk(key: Record<string, string>): KeyObject {
  return createPublicKey({ key, format: 'jwk' });
}

/** The strings and numbers of a key, one after the other (RFC 4251, section 5). */
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  take(): Buffer {
    const length = this.#rest.readUInt32BE(0);
    if (length > this.#rest.length - 4) throw new RangeError('cut off');
    const field = this.#rest.subarray(4, 4 + length);
    this.#rest = this.#rest.subarray(4 + length);
    return field;
  }

  /** A positive number without the zero that keeps it positive. It has one form only. */
  takeNumber(): Buffer {
    const field = this.take();
    const [first = 0x80, second = 0] = field;
    if (first >= 0x80 || (first === 0 && second < 0x80)) throw new RangeError('no positive number');
    return first === 0 ? field.subarray(1) : field;
  }

  end(): void {
    if (this.#rest.length > 0) throw new RangeError('too long');
  }
}
