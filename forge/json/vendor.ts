/**
 * The vendor word of the spec's media types and headers (`application/vnd.<vendor>.v3+json`, `X-<Vendor>-OTP`).
 * Any word is understood on the way in; on the way out it is the word of the media type the client asked for, else the
 * configured one. Real clients can be told no other word than the default.
 */
export interface Vendor {
  /** As in media types: lower case. */
  readonly word: string;
  /** As people write it: `GitHub`. */
  readonly name: string;
  /** As in header names: `X-<Vendor>-Media-Type`. */
  readonly headerPrefix: string;
}

const spellings: Readonly<Record<string, string>> = { github: 'GitHub' };

export function vendor(word: string): Vendor {
  const lower = word.toLowerCase();
  const name = spellings[lower] ?? lower.charAt(0).toUpperCase() + lower.slice(1);
  return { word: lower, name, headerPrefix: `X-${name}-` };
}

/** The headers of answers that have the vendor's word in their names. */
export function vendorHeaderNames({ headerPrefix }: Vendor): string[] {
  return ['Media-Type', 'OTP', 'Request-Id'].map((name) => headerPrefix + name);
}
