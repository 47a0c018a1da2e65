import { isIP } from 'node:net';

/** What a setting's text is; `must` continues "--port must be". */
export type Parsed<T> = { readonly value: T } | { readonly expected: string };

/** Decimal digits only. */
export function wholeNumber(least: number, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = Number(text);
    const fits = /^\d+$/.test(text) && value >= least && value <= most;
    return fits ? { value } : { expected: `a whole number from ${least} to ${most}` };
  };
}

export function matching(pattern: RegExp, expected: string): (text: string) => Parsed<string> {
  return (text) => (pattern.test(text) ? { value: text } : { expected });
}

export function oneOf<Choice extends string>(
  choices: readonly Choice[],
): (text: string) => Parsed<Choice> {
  return (text) => {
    const value = choices.find((word) => word === text);
    return value === undefined ? { expected: choices.join(' or ') } : { value };
  };
}

/** Addresses and networks, `10.0.0.0/8` say, with commas between them. */
export function networks(text: string): Parsed<readonly string[]> {
  const value = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return value.every(isNetwork)
    ? { value }
    : { expected: 'addresses and networks like 10.0.0.0/8' };
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  );
}

/** `scheme://host[:port]`, as a URL's origin is spelled. */
export function origin(text: string): Parsed<string> {
  const expected = 'a URL like https://code.example.org, without a path';
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return { expected };
  const plain = url.href === `${url.origin}/` && !text.includes('@');
  return plain ? { value: url.origin } : { expected };
}
