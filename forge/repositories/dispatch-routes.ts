import Type from 'typebox';

import { invalid } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { noContent } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { mayPush } from './repository-access.ts';

/**
 * Properties of `client_payload` of a dispatch, as GitHub documents it.
 * https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
 */
const propertiesMax = 10;
/** `client_payload` of a dispatch as JSON, as on GitHub. */
const payloadCharactersMax = 65_535;

/** An event that a program sends to the webhooks of a repository. */
export const dispatchRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/create-dispatch-event',
    method: 'POST',
    path: '/repos/:owner/:repo/dispatches',
    docs: 'repos#create-a-repository-dispatch-event',
    policy: mayPush,
    body: Type.Object({
      event_type: Type.String({ minLength: 1, maxLength: 100 }),
      client_payload: Type.Optional(nullable(Type.Object({}, { additionalProperties: true }))),
    }),
    async handle({ body, caller, now }, { repository }, { database }) {
      const payload = JSON.stringify(body.client_payload ?? {});
      if (
        payload.length > payloadCharactersMax ||
        Object.keys(body.client_payload ?? {}).length > propertiesMax
      ) {
        invalid({
          resource: 'Dispatch',
          field: 'client_payload',
          code: 'custom',
          message: `client_payload has at most ${propertiesMax} properties and ${payloadCharactersMax} characters`,
        });
      }
      const event = {
        event: 'repository_dispatch',
        action: body.event_type,
        payload,
        actorId: caller.account.id,
      } as const;
      await database.write((sql) => emitEvent(sql, repository.id, event, now));
      return noContent();
    },
  }),
];
