import { mayRead, type ChangePolicy } from '../repositories/repository-access.ts';

/** Read permission is enough to open issues and to comment; further conditions depend on the issue. */
export const mayComment: ChangePolicy = { ...mayRead, changes: true };

/** The triage permission: labels, assignees, milestones and states of issues. */
export const mayTriage: ChangePolicy = { permission: 'triage', changes: true };
