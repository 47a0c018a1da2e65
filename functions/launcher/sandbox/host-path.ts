import { isAbsolute, join, relative } from 'node:path';

import type { HostPath } from '../storage/follow-links.ts';
import type { RootStep } from './sandbox-root.ts';

/** Where the files are, on this side, that a sandbox of these steps shows. */
export function hostPathThrough(steps: readonly RootStep[]): HostPath {
  const latestFirst = steps.toReversed();
  return (inside) => {
    for (const step of latestFirst) {
      const below = relative(step.to, inside);
      if (below.startsWith('..') || isAbsolute(below)) continue;
      if (step.kind === 'mount') return join(step.from, below);
      // The links of the root stand for those of the host that they were made from.
      if (step.kind === 'link' && below === '') return step.from;
    }
    // A folder on the way to a mount, or the root: any folder does, for nothing else is asked about it.
    const isOnTheWay = steps.some((step) =>
      step.to.startsWith(inside === '/' ? '/' : `${inside}/`),
    );
    return isOnTheWay ? '/' : undefined;
  };
}
