import { emptyConnection } from '../engine/connection.ts';
import type { Fields, Resolvers } from './context.ts';

/** There are no projects here, of either kind. */
const projects: Fields<unknown> = { projects: emptyConnection, projectsV2: emptyConnection };

export const projectResolvers: Resolvers = {
  Repository: projects,
  Organization: { ...projects, rulesets: emptyConnection },
  User: { ...projects, gists: emptyConnection },
};
