/** Where there is no mount namespace, programs are told the host's paths in place of those that the sandbox would show. */
import type { Mount } from '../launcher.ts';

export type RewritePath = (text: string) => string;

export function pathRewriting(mounts: readonly Pick<Mount, 'from' | 'to'>[]): RewritePath {
  const longestFirst = mounts.toSorted((a, b) => b.to.length - a.to.length);
  const alternatives = longestFirst.map(({ to }) => RegExp.escape(to)).join('|');
  if (alternatives === '') return (text) => text;
  // A whole path or the beginning of one, alone, in a list, or after an equals sign.
  const pattern = new RegExp(`(?<=^|[:=,\\s])(${alternatives})(?=$|[/:,\\s])`, 'g');
  return (text) =>
    text.replace(pattern, (path) => mounts.find(({ to }) => to === path)?.from ?? path);
}
