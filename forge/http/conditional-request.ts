import { createHash } from 'node:crypto';

import { present } from '#platform/present.ts';

import type { Dates } from './sent-versions.ts';

/**
 * The entity tag of a response: a hash of its bytes, the caller and the requested form, because the same URL returns
 * different responses for other credentials or media types.
 */
export function entityTag(body: Buffer, viewer: string, form: string): string {
  const digest = createHash('sha256').update(body).update(`\n${viewer}\n${form}`).digest('hex');
  return `"${digest}"`;
}

/**
 * The entity headers of a response. The tag of a compressed body is weak, because the same tag then stands for different
 * bytes.
 */
export function entityHeaders(
  tag: string | undefined,
  encoding: string | undefined,
): Record<string, string> {
  return {
    ...(tag === undefined ? {} : { etag: encoding === undefined ? tag : `W/${tag}` }),
    ...present({ 'content-encoding': encoding }),
  };
}

/**
 * Whether the client already has this response. `If-None-Match` wins over `If-Modified-Since` (RFC 9110, 13.2.2), whose date must be one of the past since
 * which no other version was sent.
 */
export function isUnchanged(
  headers: { 'if-none-match'?: string | undefined; 'if-modified-since'?: string | undefined },
  tag: string,
  dates: Dates | undefined,
): boolean {
  const candidates = headers['if-none-match'];
  if (candidates !== undefined) return matchesTag(candidates, tag);
  const since = headers['if-modified-since'];
  if (since === undefined || dates === undefined) return false;
  const date = Date.parse(since);
  const modified = Math.floor(dates.lastModified / 1000) * 1000;
  const isKnown = dates.sentSince <= date && date <= dates.now;
  return isKnown && modified <= date;
}

/** Weak comparison with a list or `*`: a proxy that compresses makes strong tags weak. */
function matchesTag(candidates: string, tag: string): boolean {
  if (candidates.trim() === '*') return true;
  return candidates.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
