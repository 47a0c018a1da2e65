import Type from 'typebox';

import { getUser } from '../accounts/organization-access.ts';
import { notFound } from '../errors/api-error.ts';
import { created, noContent, ok, page as pageResult } from '../http/endpoint-result.ts';
import { fullName } from '../model/repository.ts';
import { authorizeRepository, type RepositoryPolicy } from '../repositories/repository-access.ts';
import {
  openEndpoint,
  repositoryEndpoint,
  userEndpoint,
  type Endpoint,
} from '../routing/endpoint.ts';
import { addSshKey, removeSshKey } from './add-ssh-key.ts';
import { representDeployKey, representSimpleKey, representUserKey } from './ssh-key-json.ts';
import { deleteSshKey, findSshKey, listSshKeys } from './ssh-key-store.ts';

const keyBody = { title: Type.Optional(Type.String()), key: Type.String() };

/** Like webhooks: a token needs a scope even for those of a public repository, and other callers get 404. */
const mayChangeKeys = { permission: 'admin', changes: true } as const;
const maySeeKeys: RepositoryPolicy = { ...mayChangeKeys, evenArchived: true };

const toSee = {
  scopes: ['read:public_key'],
  acceptedScopes: 'admin:public_key, read:public_key, write:public_key',
} as const;

/** The keys with which users and programs use git over SSH. */
export const sshKeyRoutes: readonly Endpoint[] = [
  userEndpoint({
    ...toSee,
    operation: 'users/list-public-ssh-keys-for-authenticated-user',
    method: 'GET',
    path: '/user/keys',
    docs: 'users#list-public-ssh-keys-for-the-authenticated-user',
    async handle({ caller, page, urls }, { database }) {
      const owner = { accountId: caller.account.id };
      const { keys, total } = await database.read((sql) => listSshKeys(sql, owner, page));
      return pageResult(
        keys.map((key) => representUserKey(key, urls)),
        total,
      );
    },
  }),

  openEndpoint({
    operation: 'users/list-public-keys-for-user',
    method: 'GET',
    path: '/users/:username/keys',
    docs: 'users#list-public-keys-for-a-user',
    async handle({ path, page }, { database }) {
      const { keys, total } = await database.read(async (sql) => {
        const { id: accountId } = await getUser(sql, path.username);
        return listSshKeys(sql, { accountId }, page);
      });
      return pageResult(keys.map(representSimpleKey), total);
    },
  }),

  userEndpoint({
    ...toSee,
    operation: 'users/get-public-ssh-key-for-authenticated-user',
    method: 'GET',
    path: '/user/keys/:key_id',
    docs: 'users#get-a-public-ssh-key-for-the-authenticated-user',
    async handle({ path, caller, urls }, { database }) {
      const owner = { accountId: caller.account.id };
      const key = await database.read((sql) => findSshKey(sql, owner, path.key_id));
      return key ? ok(representUserKey(key, urls)) : notFound();
    },
  }),

  userEndpoint({
    operation: 'users/create-public-ssh-key-for-authenticated-user',
    method: 'POST',
    path: '/user/keys',
    docs: 'users#create-a-public-ssh-key-for-the-authenticated-user',
    scopes: ['write:public_key'],
    acceptedScopes: 'admin:public_key, write:public_key',
    body: Type.Object(keyBody),
    async handle({ body, caller, urls, now }, ports) {
      const { id: actorId } = caller.account;
      const key = await addSshKey(ports, { accountId: actorId }, body, { actorId, now });
      return created(representUserKey(key, urls), urls.api(`/user/keys/${key.id}`));
    },
  }),

  userEndpoint({
    operation: 'users/delete-public-ssh-key-for-authenticated-user',
    method: 'DELETE',
    path: '/user/keys/:key_id',
    docs: 'users#delete-a-public-ssh-key-for-the-authenticated-user',
    scopes: ['admin:public_key'],
    acceptedScopes: 'admin:public_key',
    async handle({ path, caller }, { database }) {
      const owner = { accountId: caller.account.id };
      const deleted = await database.write((sql) => deleteSshKey(sql, owner, path.key_id));
      return deleted ? noContent() : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/list-deploy-keys',
    method: 'GET',
    path: '/repos/:owner/:repo/keys',
    docs: 'deploy-keys#list-deploy-keys',
    acceptedScopes: 'public_repo, repo',
    policy: maySeeKeys,
    async handle({ page, urls }, { repository }, { database }) {
      const owner = { repositoryId: repository.id };
      const { keys, total } = await database.read((sql) => listSshKeys(sql, owner, page));
      return pageResult(
        keys.map((key) => representDeployKey(key, fullName(repository), urls)),
        total,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-deploy-key',
    method: 'GET',
    path: '/repos/:owner/:repo/keys/:key_id',
    docs: 'deploy-keys#get-a-deploy-key',
    acceptedScopes: 'public_repo, repo',
    policy: maySeeKeys,
    async handle({ path, urls }, { repository }, { database }) {
      const owner = { repositoryId: repository.id };
      const key = await database.read((sql) => findSshKey(sql, owner, path.key_id));
      return key ? ok(representDeployKey(key, fullName(repository), urls)) : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-deploy-key',
    method: 'POST',
    path: '/repos/:owner/:repo/keys',
    docs: 'deploy-keys#create-a-deploy-key',
    acceptedScopes: 'public_repo, repo',
    policy: mayChangeKeys,
    body: Type.Object({ ...keyBody, read_only: Type.Optional(Type.Boolean()) }),
    async handle({ body, caller, urls, now }, { repository }, ports) {
      const { key, title, read_only: readOnly } = body;
      const added = await addSshKey(
        ports,
        { repositoryId: repository.id },
        { key, title, readOnly },
        {
          actorId: caller.account.id,
          now,
          authorize: (sql) =>
            authorizeRepository(sql, caller, { id: repository.id }, mayChangeKeys),
        },
      );
      const shown = representDeployKey(added, fullName(repository), urls);
      return created(shown, `${urls.repository(fullName(repository))}/keys/${added.id}`);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-deploy-key',
    method: 'DELETE',
    path: '/repos/:owner/:repo/keys/:key_id',
    docs: 'deploy-keys#delete-a-deploy-key',
    acceptedScopes: 'public_repo, repo',
    // A key can be taken back from an archived repository, too.
    policy: { ...mayChangeKeys, evenArchived: true },
    async handle({ path, caller, now }, { repository }, { database }) {
      const owner = { repositoryId: repository.id };
      const by = { actorId: caller.account.id, now };
      const deleted = await database.write((sql) => removeSshKey(sql, owner, path.key_id, by));
      return deleted ? noContent() : notFound();
    },
  }),
];
