/** A goal of a repository that issues and pulls count towards. */
export interface Milestone {
  readonly id: number;
  readonly repositoryId: number;
  /** In a sequence of the repository that only milestones share. */
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'open' | 'closed';
  readonly creatorId: number;
  readonly openIssues: number;
  readonly closedIssues: number;
  /** Milliseconds since the epoch. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
}
