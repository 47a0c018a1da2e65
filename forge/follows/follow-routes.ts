import { representAccount } from '../accounts/account-json.ts';
import { type AccountList, accountPage } from '../accounts/account-list-store.ts';
import { findAccount } from '../accounts/account-store.ts';
import { getUser } from '../accounts/organization-access.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { noContent, page, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Account } from '../model/account.ts';
import type { Ports } from '../ports/ports.ts';
import { openEndpoint, userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { deleteFollow, follows, insertFollow, followedBy, followersOf } from './follow-store.ts';

const changes = { acceptedScopes: 'user, user:follow', scopes: ['user:follow'] } as const;

/** Who follows whom: https://docs.github.com/rest/users/followers */
export const followRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'users/list-followers-for-authenticated-user',
    method: 'GET',
    path: '/user/followers',
    docs: 'users#list-followers-of-the-authenticated-user',
    handle: (request, ports) => respond(request, ports, request.caller.account, followersOf),
  }),

  userEndpoint({
    operation: 'users/list-followed-by-authenticated-user',
    method: 'GET',
    path: '/user/following',
    docs: 'users#list-the-people-the-authenticated-user-follows',
    handle: (request, ports) => respond(request, ports, request.caller.account, followedBy),
  }),

  openEndpoint({
    operation: 'users/list-followers-for-user',
    method: 'GET',
    path: '/users/:username/followers',
    docs: 'users#list-followers-of-a-user',
    handle: (request, ports) => respondNamed(request, ports, followersOf),
  }),

  openEndpoint({
    operation: 'users/list-following-for-user',
    method: 'GET',
    path: '/users/:username/following',
    docs: 'users#list-the-people-a-user-follows',
    handle: (request, ports) => respondNamed(request, ports, followedBy),
  }),

  openEndpoint({
    operation: 'users/check-following-for-user',
    method: 'GET',
    path: '/users/:username/following/:target_user',
    docs: 'users#check-if-a-user-follows-another-user',
    async handle({ path }, { database }) {
      const found = await database.read(async (sql) => {
        const follower = await findAccount(sql, path.username);
        const followed = await findAccount(sql, path.target_user);
        return follower && followed ? follows(sql, follower.id, followed.id) : false;
      });
      return found ? noContent() : notFound();
    },
  }),

  userEndpoint({
    operation: 'users/check-person-is-followed-by-authenticated',
    method: 'GET',
    path: '/user/following/:username',
    docs: 'users#check-if-a-person-is-followed-by-the-authenticated-user',
    async handle({ path, caller }, { database }) {
      const found = await database.read(async (sql) => {
        const followed = await findAccount(sql, path.username);
        return followed ? follows(sql, caller.account.id, followed.id) : false;
      });
      return found ? noContent() : notFound();
    },
  }),

  userEndpoint({
    ...changes,
    operation: 'users/follow',
    method: 'PUT',
    path: '/user/following/:username',
    docs: 'users#follow-a-user',
    async handle({ path, caller, now }, { database }) {
      await database.write(async (sql) => {
        const { id } = await getUser(sql, path.username);
        if (id === caller.account.id) {
          refuse({ kind: 'unprocessable', message: 'You cannot follow yourself.' });
        }
        await insertFollow(sql, caller.account.id, id, now);
      });
      return noContent();
    },
  }),

  userEndpoint({
    ...changes,
    operation: 'users/unfollow',
    method: 'DELETE',
    path: '/user/following/:username',
    docs: 'users#unfollow-a-user',
    async handle({ path, caller }, { database }) {
      await database.write(async (sql) => {
        const { id } = await getUser(sql, path.username);
        await deleteFollow(sql, caller.account.id, id);
      });
      return noContent();
    },
  }),
];

type List = (accountId: number) => AccountList;

type Listing = Pick<RequestContext, 'page' | 'urls'>;

/** Organizations, whose embedded form names the same URLs, follow no one and have no followers. */
async function respondNamed(
  request: Listing & { readonly path: { readonly username: string } },
  ports: Ports,
  list: List,
): Promise<EndpointResult> {
  const account = await ports.database.read((sql) => findAccount(sql, request.path.username));
  return account ? respond(request, ports, account, list) : notFound();
}

async function respond(
  { page: bounds, urls }: Listing,
  { database }: Ports,
  { id }: Account,
  list: List,
): Promise<EndpointResult> {
  const { entries, total } = await database.read((sql) => accountPage(sql, list(id), bounds));
  return page(
    entries.map(({ account }) => representAccount(account, urls)),
    total,
  );
}
