import { accountTypes } from './accounts.ts';
import { checkTypes } from './checks.ts';
import { discussionTypes } from './discussions.ts';
import { gitTypes } from './git.ts';
import { issueTypes } from './issues.ts';
import { mutationTypes } from './mutations.ts';
import { projectTypes } from './projects.ts';
import { pullTypes } from './pulls.ts';
import { repositoryTypes } from './repositories.ts';
import { reviewTypes } from './reviews.ts';
import { rootTypes } from './roots.ts';
import { searchTypes } from './search.ts';
import { timelineTypes } from './timelines.ts';

/** The schema in GraphQL's own language. */
export const allTypes = [
  rootTypes,
  accountTypes,
  repositoryTypes,
  gitTypes,
  checkTypes,
  discussionTypes,
  issueTypes,
  projectTypes,
  pullTypes,
  reviewTypes,
  timelineTypes,
  searchTypes,
  mutationTypes,
].join('\n');
