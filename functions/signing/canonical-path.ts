import { encodeBytes } from './percent-encoding.ts';

/**
 * The path as it is signed: the raw one without empty and dot segments, every byte of it encoded once more, so that the
 * `%3A` of an ARN becomes `%253A`. Doubled slashes, which clients make of an empty name, collapse here and only here.
 */
export function canonicalPath(rawPath: string): string {
  return encodeBytes(withoutDotSegments(rawPath), reserved);
}

const reserved = /[^A-Za-z0-9\-_.~/]/g;

function withoutDotSegments(path: string): string {
  if (path !== '' && !hasDotSegments.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const trailing = path.endsWith('/') && kept.length > 0 ? '/' : '';
  return `/${kept.join('/')}${trailing}`;
}

const hasDotSegments = /^[^/]|\/\/|\/\.{1,2}(\/|$)/;
