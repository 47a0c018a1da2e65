import type { Signature } from '../git.ts';

/** The last second of the year 9999: no date format of ours goes further. */
const lastSecond = 253_402_300_799;
const minutesInDay = 1440;

/**
 * Reads `Name <email> seconds zone` as git does: whatever is missing or unreadable becomes empty or
 * zero.
 */
export function parseSignature(line: string): Signature {
  const open = line.indexOf('<');
  if (open === -1) return { name: line.trim(), email: '', seconds: 0, offsetMinutes: 0 };
  const close = line.indexOf('>', open);
  const email = line.slice(open + 1, close === -1 ? undefined : close).trim();
  const date = /^\s*(-?\d+)(?:\s+([+-]\d+))?/.exec(line.slice(line.lastIndexOf('>') + 1));
  return {
    name: line.slice(0, open).trim(),
    email,
    seconds: clampSeconds(Number(date?.[1] ?? 0)),
    offsetMinutes: parseZone(date?.[2] ?? '+0000'),
  };
}

/**
 * Writes a signature as commits and tags hold it, without the characters that would break the line.
 */
export function formatSignature(signature: Signature): string {
  const { name, email, offsetMinutes } = signature;
  const sign = offsetMinutes < 0 ? '-' : '+';
  const minutes = Math.abs(Math.trunc(offsetMinutes));
  const zone = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const seconds = clampSeconds(Math.trunc(signature.seconds));
  return `${withoutCrud(name)} <${withoutCrud(email)}> ${seconds} ${sign}${zone.join('')}`;
}

/** A time of git as one that every date format of ours can show: git stores whatever number a client writes. */
export function clampSeconds(seconds: number): number {
  return Math.min(Math.max(seconds, 0), lastSecond);
}

/** `+0530` as minutes; offsets of more than a day are errors and count as UTC. */
function parseZone(zone: string): number {
  const digits = Number(zone.slice(1));
  const minutes = Math.floor(digits / 100) * 60 + (digits % 100);
  if (minutes >= minutesInDay) return 0;
  return zone.startsWith('-') && minutes > 0 ? -minutes : minutes;
}

/**
 * git's own rule for names and addresses: no line breaks or angle brackets, no punctuation at the
 * ends.
 */
function withoutCrud(text: string): string {
  const flat = text.replaceAll(/[<>]|\p{Cc}/gu, '');
  return flat.replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, '');
}
