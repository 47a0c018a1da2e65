import { present } from '#platform/present.ts';

import { activitiesOf } from '../events/activity-store.ts';
import { shownMilliseconds } from '../events/activity.ts';
import { pollSeconds } from '../http/endpoint-result.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { describeActivities, visibleActivities } from './describe-activities.ts';

/** The activity feed of a repository. */
export const activityRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'activity/list-repo-events',
    method: 'GET',
    path: '/repos/:owner/:repo/events',
    docs: 'activity#list-repository-events',
    acceptedScopes: 'repo',
    policy: mayRead,
    pageSizeFixed: true,
    async handle({ caller, page, urls, now }, { repository }, { database }) {
      return database.read(async (sql) => {
        const all = await activitiesOf(sql, repository.id, now - shownMilliseconds);
        const visible = await visibleActivities(sql, all, caller);
        const shown = visible.slice(page.offset, page.offset + page.size);
        const latest = visible[0]?.createdAt;
        return {
          kind: 'json',
          status: 200,
          body: await describeActivities(
            sql,
            new Map([[repository.id, repository]]),
            shown,
            caller,
            urls,
          ),
          paging: { total: visible.length },
          pollSeconds,
          ...present({ lastModified: latest }),
        };
      });
    },
  }),
];
