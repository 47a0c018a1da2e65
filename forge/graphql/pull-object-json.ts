import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Pull } from '../model/pull.ts';
import type { Urls } from '../json/urls.ts';

/** Every field of the type `PullRequest` in schema.ts, whether it was asked for or not. */
export function representPullObject(
  pull: Pull,
  repositoryName: string,
  urls: Urls,
): { [field: string]: Json } {
  return {
    id: nodeId('PullRequest', pull.id),
    databaseId: pull.id,
    number: pull.number,
    url: urls.pullHtml(repositoryName, pull.number),
    title: pull.title,
    body: pull.body ?? '',
    state: pull.merge ? 'MERGED' : pull.state.toUpperCase(),
    isDraft: pull.draft,
    closed: pull.state === 'closed',
    merged: pull.merge !== undefined,
    baseRefName: pull.base.ref,
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    createdAt: timestamp(pull.createdAt),
    updatedAt: timestamp(pull.updatedAt),
  };
}
