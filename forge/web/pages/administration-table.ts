import type { WebResponse } from '#web/web-response.ts';

import { administrationPath as at } from '../kit/page-paths.ts';
import type { Forms } from '../kit/forms.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import {
  showOrganizations,
  showServer,
  showSiteApplications,
  submitOrganization,
} from './administration.ts';
import {
  showSiteKeys,
  showSiteTokens,
  submitKeyRevocation,
  submitTokenRevocation,
} from './administration-credentials.ts';
import {
  showFailingWebhooks,
  showOverview,
  submitQueueAct,
  submitRedelivery,
} from './administration-queues.ts';
import { showStorage } from './administration-storage.ts';
import { showUser, showUsers, submitUser, submitUserAct } from './administration-users.ts';

/** The pages for site administrators; page-table.ts refuses others. */
export const administrationRoutes: readonly (readonly [
  path: string,
  show: (context: WebContext & SignedIn) => Promise<WebResponse>,
])[] = [
  [at, (context) => showOverview(context)],
  [`${at}/users`, (context) => showUsers(context)],
  [`${at}/users/:user`, (context) => showUser(context)],
  [`${at}/organizations`, (context) => showOrganizations(context)],
  [`${at}/tokens`, (context) => showSiteTokens(context)],
  [`${at}/keys`, (context) => showSiteKeys(context)],
  [`${at}/applications`, showSiteApplications],
  [`${at}/webhooks`, (context) => showFailingWebhooks(context)],
  [`${at}/storage`, showStorage],
  [`${at}/server`, showServer],
];

/** Their forms. */
export function administrationForms(perform: Perform): readonly Forms<FormContext & SignedIn>[] {
  return [
    [`${at}/users`, ['create'], submitUser(perform)],
    [
      `${at}/users/:user`,
      [
        'promote',
        'demote',
        'suspend',
        'unsuspend',
        'set-password',
        'end-sessions',
        'revoke-token',
        'revoke-key',
      ],
      submitUserAct,
    ],
    [`${at}/organizations`, ['create'], submitOrganization(perform)],
    [`${at}/tokens`, ['revoke'], submitTokenRevocation],
    [`${at}/keys`, ['revoke'], submitKeyRevocation],
    [`${at}/queues`, ['retry', 'give-up'], submitQueueAct],
    [`${at}/webhooks`, ['redeliver'], submitRedelivery],
  ];
}
