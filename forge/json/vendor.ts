/**
 * The vendor name in media types and headers (`application/vnd.<vendor>.v3+json`, `X-<Vendor>-OTP`; docs/specification/forge.md 8.4). Requests may
 * use any name; responses use the name of the requested media type, or else the configured one. Existing clients of GitHub
 * understand only the default, `github`.
 */
export interface VendorNames {
  /** As in media types: lower case. */
  readonly word: string;
  /** As people write it: `GitHub`. */
  readonly name: string;
  /** As in header names: `X-<Vendor>-Media-Type`. */
  readonly headerPrefix: string;
}

const spellings: Readonly<Record<string, string>> = { github: 'GitHub' };

export function vendor(word: string): VendorNames {
  const lower = word.toLowerCase();
  const name = spellings[lower] ?? lower.charAt(0).toUpperCase() + lower.slice(1);
  return { word: lower, name, headerPrefix: `X-${name}-` };
}

/**
 * The version of GitHub Enterprise Server whose interface this is. Clients choose by it what they send: gh searches by a syntax that is
 * newer from 3.18 on, and asks for classic projects below 3.17.
 */
export const enterpriseVersion = '3.17.0';

/** The response headers whose names contain the vendor name. */
export function vendorHeaderNames({ headerPrefix }: VendorNames): string[] {
  return ['Enterprise-Version', 'Media-Type', 'OTP', 'Request-Id'].map(
    (name) => headerPrefix + name,
  );
}
