import { mayRead, type ChangePolicy } from '../repositories/repository-access.ts';

/** Whoever sees an issue may speak; what else is asked of them depends on the issue. */
export const maySpeak: ChangePolicy = { ...mayRead, changes: true };

/** Labels, assignees, milestones and states of issues: what the triage permission is for. */
export const mayTriage: ChangePolicy = { permission: 'triage', changes: true };
