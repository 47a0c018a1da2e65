import type { FastifyRequest } from 'fastify';

import type { GitService } from '../git/git.ts';
import type { Ports } from '../ports/ports.ts';
import type { GitAuthorization } from './git-access.ts';

/** A request below `/:owner/:repo/info/lfs/`. */
export interface LfsRequest {
  readonly request: FastifyRequest;
  readonly query: URLSearchParams;
  /** What comes after `info/lfs/`. */
  readonly tail: string;
  readonly authorize: (service: GitService) => Promise<GitAuthorization>;
  readonly body: () => Promise<unknown>;
  readonly ports: Ports;
}

/** A status and a body in the media type of Git LFS. */
export interface LfsResponse {
  readonly status: number;
  readonly body: object;
}
