import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { orNull } from '../../http/schemas.ts';
import { parseMoment } from '../timestamp-input.ts';
import { markAllRead } from '../notification-store.ts';
import { acceptedForNotifications, mayHearOf, requiredListener } from '../visible-threads.ts';

export const markNotificationsReadInRepository = repositoryEndpoint({
  operation: 'activity/mark-repo-notifications-as-read',
  method: 'PUT',
  path: '/repos/:owner/:repo/notifications',
  docs: 'activity#mark-repository-notifications-as-read',
  acceptedScopes: acceptedForNotifications,
  need: mayHearOf,
  body: Type.Object({ last_read_at: Type.Optional(orNull(Type.String())) }),
  async handle({ caller, body, now }, { repository }, { database }) {
    const { account } = requiredListener(caller);
    const { last_read_at: asked } = body;
    const until = asked === undefined || asked === null ? now : parseMoment(asked, 'last_read_at');
    const read = { accountId: account.id, until, repositoryId: repository.id };
    await database.write((sql) => markAllRead(sql, read, now));
    return { kind: 'empty', status: 205 };
  },
});
