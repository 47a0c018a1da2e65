import { representApp } from '../auth/apps/app-json.ts';
import type { Commit } from '../git/git.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { App } from '../model/app.ts';
import type { CheckedPull } from './check-pull-store.ts';
import {
  type CheckAnnotation,
  type CheckRun,
  type CheckSuite,
  suiteStateOf,
} from '../model/check-run.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { representMinimalRepository } from '../repositories/repository-json.ts';

type Representation = { [field: string]: Json };

export function representCheckRun(
  run: CheckRun,
  app: App,
  pulls: readonly CheckedPull[],
  repository: Repository,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  const url = urls.checkRun(name, run.id);
  return {
    id: run.id,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.sha,
    external_id: run.externalId ?? '',
    url,
    html_url: urls.commitHtml(name, run.sha),
    details_url: run.detailsUrl ?? app.externalUrl,
    status: run.state.status,
    conclusion: run.state.conclusion,
    started_at: timestamp(run.startedAt),
    completed_at: timestamp(run.completedAt),
    output: {
      ...run.output,
      annotations_count: run.annotations,
      annotations_url: `${url}/annotations`,
    },
    name: run.name,
    check_suite: { id: run.suiteId },
    app: representApp(app, urls),
    pull_requests: representPulls(pulls, repository, urls),
  };
}

export function representCheckSuite(
  suite: CheckSuite,
  app: App,
  pulls: readonly CheckedPull[],
  commit: Commit,
  repository: Repository,
  urls: Urls,
): Representation {
  const url = urls.checkSuite(fullName(repository), suite.id);
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.branch,
    head_sha: suite.sha,
    ...suiteStateOf(suite),
    url,
    before: suite.before,
    after: suite.before === null ? null : suite.sha,
    pull_requests: representPulls(pulls, repository, urls),
    app: representApp(app, urls),
    created_at: timestamp(suite.createdAt),
    updated_at: timestamp(suite.updatedAt),
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: suite.states.length,
    check_runs_url: `${url}/check-runs`,
    head_commit: {
      id: commit.id,
      tree_id: commit.tree,
      message: commit.message,
      timestamp: timestamp(commit.committer.seconds * 1000),
      author: { name: commit.author.name, email: commit.author.email },
      committer: { name: commit.committer.name, email: commit.committer.email },
    },
    repository: representMinimalRepository(repository, urls),
  };
}

function representPulls(pulls: readonly CheckedPull[], repository: Repository, urls: Urls): Json[] {
  const name = fullName(repository);
  const repo = { id: repository.id, url: urls.repository(name), name: repository.name };
  return pulls.map((pull) => ({
    id: pull.id,
    number: pull.number,
    url: urls.pull(name, pull.number),
    head: { ...pull.head, repo },
    base: { ...pull.base, repo },
  }));
}

export function representAnnotation(
  annotation: CheckAnnotation,
  run: CheckRun,
  repository: Repository,
  urls: Urls,
): Representation {
  return {
    path: annotation.path,
    blob_href: urls.blobHtml(fullName(repository), run.sha, annotation.path),
    start_line: annotation.startLine,
    start_column: annotation.startColumn,
    end_line: annotation.endLine,
    end_column: annotation.endColumn,
    annotation_level: annotation.level,
    title: annotation.title,
    message: annotation.message,
    raw_details: annotation.rawDetails,
  };
}
