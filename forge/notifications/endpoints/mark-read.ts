import Type from 'typebox';

import { userEndpoint } from '../../routing/endpoint.ts';
import { orNull } from '../../http/schemas.ts';
import { parseMoment } from '../timestamp-input.ts';
import { markAllRead } from '../notification-store.ts';
import { acceptedForNotifications, notificationScopes } from '../visible-threads.ts';

export const markNotificationsRead = userEndpoint({
  operation: 'activity/mark-notifications-as-read',
  method: 'PUT',
  path: '/notifications',
  docs: 'activity#mark-notifications-as-read',
  acceptedScopes: acceptedForNotifications,
  scopes: notificationScopes,
  body: Type.Object({ last_read_at: Type.Optional(orNull(Type.String())) }),
  async handle({ caller, body, now }, { database }) {
    const { last_read_at: asked } = body;
    const until = asked === undefined || asked === null ? now : parseMoment(asked, 'last_read_at');
    await database.write((sql) => markAllRead(sql, { accountId: caller.account.id, until }, now));
    return { kind: 'empty', status: 205 };
  },
});
