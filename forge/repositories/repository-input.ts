import Type, { type Static } from 'typebox';

import type { FieldError } from '../errors/api-error.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import type { RepositoryUpdate } from '../model/repository.ts';

const setting = Type.Optional(Type.Boolean());
const sentence = Type.Optional(nullable(Type.String()));

/** Fields of the body that creating and editing a repository share. */
export const repositorySettingsSchema = {
  description: sentence,
  homepage: sentence,
  private: setting,
  visibility: Type.Optional(stringEnum(['public', 'private'])),
  has_issues: setting,
  has_projects: setting,
  has_wiki: setting,
  has_downloads: setting,
  is_template: setting,
  allow_merge_commit: setting,
  allow_squash_merge: setting,
  allow_rebase_merge: setting,
  delete_branch_on_merge: setting,
  allow_auto_merge: setting,
};

export const repositorySettings = Type.Object(repositorySettingsSchema);
export type RepositorySettings = Static<typeof repositorySettings>;

/** The settings in a body; others stay unchanged. */
export function settingsOf(body: RepositorySettings): RepositoryUpdate {
  const visible = body.visibility === undefined ? body.private : body.visibility !== 'public';
  return withoutAbsent({
    description: body.description,
    homepage: body.homepage,
    private: visible,
    hasIssues: body.has_issues,
    hasProjects: body.has_projects,
    hasWiki: body.has_wiki,
    hasDownloads: body.has_downloads,
    isTemplate: body.is_template,
    allowMergeCommit: body.allow_merge_commit,
    allowSquashMerge: body.allow_squash_merge,
    allowRebaseMerge: body.allow_rebase_merge,
    deleteBranchOnMerge: body.delete_branch_on_merge,
    allowAutoMerge: body.allow_auto_merge,
  });
}

/** Whether these settings, applied to the defaults, allow at least one merge method. */
export function allowsSomeMerge(settings: RepositoryUpdate): boolean {
  const { allowMergeCommit = true, allowSquashMerge = true, allowRebaseMerge = true } = settings;
  return allowMergeCommit || allowSquashMerge || allowRebaseMerge;
}

export const noMergeMethod: FieldError = {
  resource: 'Repository',
  field: 'merge_commit_allowed',
  code: 'custom',
  message: 'Sorry, you need to allow at least one merge strategy. (no_merge_method)',
};

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined fields, because an update treats only absent fields as unchanged. */
export function withoutAbsent<T extends object>(fields: T): Present<T> {
  const present: Present<T> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) Object.assign(present, { [name]: value });
  }
  return present;
}
