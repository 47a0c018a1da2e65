import type { FastifyRequest } from 'fastify';

import type { Site, Visit } from '#web/site.ts';

import type { Session } from '../../auth/sessions/session.ts';
import { createBaseUrlResolver } from '../../http/base-url.ts';
import type { Ports } from '../../ports/ports.ts';
import { administrationLinks } from './administration-links.ts';
import { loginPath } from './login-path.ts';
import { siteFrame } from './site-frame.ts';
import { findBrowserSession } from './web-context.ts';

/** The sessions and the frame of this site, for the pages of another service. */
export function createSite(ports: Ports, isStopping: () => boolean): Site {
  const baseUrlOf = createBaseUrlResolver(ports.settings);
  const visitOf = (request: FastifyRequest, session?: Session): Visit => {
    const { urls, baseUrl } = baseUrlOf(request.headers.host);
    // The target of a form is not a page to return to after sign-in.
    const pageUrl = request.method === 'POST' ? '/' : (request.raw.url ?? '/');
    return {
      baseUrl,
      user: session && {
        id: session.account.id,
        login: session.account.login,
        siteAdmin: session.account.siteAdmin,
        secret: session.secret,
      },
      frame: siteFrame({ urls, session, pageUrl, otherPages: ports.otherPages ?? [] }),
      signInPath: loginPath(pageUrl),
      administration: administrationLinks(ports),
    };
  };
  return {
    async visit(request) {
      const { baseUrl } = baseUrlOf(request.headers.host);
      return visitOf(request, await findBrowserSession(request, ports, baseUrl));
    },
    visitUnknown: (request) => visitOf(request),
    isStopping,
  };
}
