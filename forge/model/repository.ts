import type { WriteOptions } from '#platform/database/database.ts';

import type { Account } from './account.ts';

/** A repository as the server knows it; its code is in git under its id. */
export interface Repository {
  readonly id: number;
  readonly networkId: number;
  readonly owner: Account;
  readonly name: string;
  /** The repository it was forked from; null for a source, or when that is gone. */
  readonly parentId: number | null;
  /** The template it was made from; null for none, or when that is gone. */
  readonly templateId: number | null;
  readonly state: 'creating' | 'ready' | 'deleting';
  readonly description: string | null;
  readonly homepage: string | null;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly hasIssues: boolean;
  readonly hasProjects: boolean;
  readonly hasWiki: boolean;
  readonly hasDownloads: boolean;
  readonly isTemplate: boolean;
  readonly archived: boolean;
  readonly allowMergeCommit: boolean;
  readonly allowSquashMerge: boolean;
  readonly allowRebaseMerge: boolean;
  readonly deleteBranchOnMerge: boolean;
  readonly allowAutoMerge: boolean;
  readonly sizeKibibytes: number;
  /** Of most of the code of the default branch. */
  readonly language: string | null;
  /** The key of the licence in the default branch, or `other`. */
  readonly license: string | null;
  readonly topics: readonly string[];
  /** Issues and pulls that are open. */
  readonly openIssues: number;
  /** Direct forks. */
  readonly forks: number;
  readonly stargazers: number;
  /** Those who watch it. */
  readonly subscribers: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** null until something was pushed. */
  readonly pushedAt: number | null;
}

/** What a caller may change of a repository; absent fields stay as they are. */
export interface RepositoryUpdate {
  readonly name?: string;
  readonly description?: string | null;
  readonly homepage?: string | null;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  readonly hasIssues?: boolean;
  readonly hasProjects?: boolean;
  readonly hasWiki?: boolean;
  readonly hasDownloads?: boolean;
  readonly isTemplate?: boolean;
  readonly archived?: boolean;
  readonly allowMergeCommit?: boolean;
  readonly allowSquashMerge?: boolean;
  readonly allowRebaseMerge?: boolean;
  readonly deleteBranchOnMerge?: boolean;
  readonly allowAutoMerge?: boolean;
}

export function fullName(repository: Repository): string {
  return `${repository.owner.login}/${repository.name}`;
}

/** The queue for writes of one repository (platform/database/database.ts). */
export function repositoryQueue(repositoryId: number): string {
  return `repository ${repositoryId}`;
}

/**
 * For a write whose decision depends only on rows that writes of this queue change, or that it locks by changing the row of their
 * network first. What others change meanwhile, such as accounts, may count from the next write on.
 */
export function inRepositoryQueue(repositoryId: number): WriteOptions {
  return { queue: repositoryQueue(repositoryId), isolation: 'repeatable read' };
}
