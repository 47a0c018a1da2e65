import type { FastifyRequest } from 'fastify';

import type { Frame, Link } from './layout.ts';

/** The site that the pages of a service are part of: it knows who is signed in, and what is around every page. */
export interface Site {
  visit(request: FastifyRequest): Promise<Visit>;
  /** Without looking at the session, for pages about errors. */
  visitUnknown(request: FastifyRequest): Visit;
  /** Whether the server is stopping: responses that go on for long must end. */
  isStopping(): boolean;
}

/** A browser's request for a page. */
export interface Visit {
  /** The beginning of the URL that the browser used. */
  readonly baseUrl: string;
  readonly user: SignedInUser | undefined;
  readonly frame: Frame;
  /** The sign-in page, which leads back. */
  readonly signInPath: string;
  /** The pages for site administrators, of all services. */
  readonly administration: readonly Link[];
}

export interface SignedInUser {
  /** Unique and constant; logins change. */
  readonly id: number;
  readonly login: string;
  readonly siteAdmin: boolean;
  /** Of the session; form tokens are derived from it. */
  readonly secret: string;
}
