import { createHmac, timingSafeEqual } from 'node:crypto';

/** Time step of one-time codes (RFC 6238). */
const stepMilliseconds = 30_000;
const digits = 6;
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of one step of 30 seconds: RFC 6238 over RFC 4226, with the parameters that every app understands. */
export function oneTimePassword(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  // "Dynamic truncation": the low half of the last byte says where the number begins (RFC 4226, 5.3).
  const offset = digest.readUInt8(digest.length - 1) % 16;
  const number = digest.readUInt32BE(offset) % 2 ** 31;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step whose code this is: the present one or a neighbour, since clocks differ and typing takes time. */
export function matchingStep(secret: Uint8Array, code: string, now: number): number | undefined {
  const provided = Buffer.from(code);
  const present = stepAt(now);
  return [present, present - 1, present + 1].find((step) => {
    const wanted = Buffer.from(oneTimePassword(secret, step));
    return provided.length === wanted.length && timingSafeEqual(provided, wanted);
  });
}

export function stepAt(now: number): number {
  return Math.floor(now / stepMilliseconds);
}

/** What an app scans or is given to begin with. */
export function enrolmentUrl(login: string, secret: Uint8Array): string {
  return `otpauth://totp/Hob:${encodeURIComponent(login)}?secret=${base32(secret)}&issuer=Hob`;
}

/** RFC 4648 without padding; for whole groups of five bytes. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (group) => base32Alphabet.charAt(Number.parseInt(group, 2)));
}
