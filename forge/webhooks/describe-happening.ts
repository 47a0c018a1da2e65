import type { Sql } from '#platform/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Account } from '../accounts/account.ts';
import { describeCommit } from '../commits/describe-commits.ts';
import type { Json } from '../conventions/json-values.ts';
import type { Ports } from '../ports.ts';
import { findPullById } from '../pulls/pull-store.ts';
import { describePull } from '../pulls/surroundings.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Repository } from '../repositories/repository.ts';
import type { CommitStatus } from '../statuses/commit-status.ts';
import { createUrls, type Urls } from '../urls.ts';
import { actorOf, type Happening, type PullHappening } from './happening.ts';
import {
  representPing,
  representPullChange,
  representPush,
  representRefLife,
  representScene,
  representStatusChange,
} from './payload-representation.ts';
import { pushDetails } from './push-details.ts';
import { representWebhook } from './webhook-representation.ts';
import type { Webhook } from './webhook.ts';

type Representation = { [member: string]: Json };

interface Scene {
  readonly repository: Repository;
  readonly sender: Account | undefined;
  readonly urls: Urls;
}

/** The payload of a happening, with resources as they are now; undefined when what it tells of is gone. */
export async function describeHappening(
  ports: Ports,
  webhook: Webhook,
  happening: Happening,
): Promise<Representation | undefined> {
  const urls = createUrls(ports.settings.baseUrl);
  const scene = await ports.database.read((sql) => sceneOf(sql, webhook, happening, urls));
  if (!scene) return undefined;
  const details = await detailsOf(ports, webhook, happening, scene);
  return details && { ...details, ...representScene(scene.repository, scene.sender, urls) };
}

async function sceneOf(
  sql: Sql,
  webhook: Webhook,
  happening: Happening,
  urls: Urls,
): Promise<Scene | undefined> {
  const { repositoryId } = webhook;
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  const actorId = actorOf(happening);
  const sender = actorId === null ? undefined : (await accountsById(sql, [actorId])).get(actorId);
  return repository && { repository, sender, urls };
}

async function detailsOf(
  ports: Ports,
  webhook: Webhook,
  happening: Happening,
  scene: Scene,
): Promise<Representation | undefined> {
  const { repository, sender, urls } = scene;
  switch (happening.event) {
    case 'ping':
      return representPing(representWebhook(webhook, repository, urls), webhook.id);
    case 'create':
    case 'delete':
      return representRefLife(happening, repository);
    case 'push': {
      const details = await pushDetails(ports.git.repository(repository.id), happening, repository);
      return representPush(happening, { ...details, pusher: sender }, repository, urls);
    }
    case 'pull_request':
      return ports.database.read((sql) => pullDetails(sql, happening, scene));
    case 'status':
      return statusDetails(ports, happening.status, scene);
  }
}

async function pullDetails(
  sql: Sql,
  happening: PullHappening,
  { repository, urls }: Scene,
): Promise<Representation | undefined> {
  const pull = await findPullById(sql, happening.pullId);
  if (!pull) return undefined;
  const described = await describePull(sql, repository, pull, {
    // The receiver is nobody with rights of its own.
    caller: { kind: 'anonymous' },
    media: { format: 'json' },
    urls,
  });
  return representPullChange(happening, pull.number, described);
}

async function statusDetails(
  ports: Ports,
  status: CommitStatus,
  { repository, urls }: Scene,
): Promise<Representation | undefined> {
  const git = ports.git.repository(repository.id);
  const commit = await git.readCommit(status.sha);
  if (!commit) return undefined;
  const tips = (await git.listRefs('refs/heads/')).filter(({ id }) => id === status.sha);
  const branches = tips.slice(0, branchesMax).map(({ name }) => name.slice('refs/heads/'.length));
  const described = await ports.database.read((sql) =>
    describeCommit(sql, commit, repository, urls),
  );
  return representStatusChange(status, described, branches, repository, urls);
}

/** Branches a status names. */
const branchesMax = 10;
