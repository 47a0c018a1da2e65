import {
  AddPermissionCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  GetFunctionUrlConfigCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';

import { hiddenFields } from '#web/testing/test-browser.ts';

import { clientOf, functionOf } from '../scenarios/function-service.ts';
import type { RunningServer } from '../scenarios/running-server.ts';
import { openSignedInBrowser } from '../scenarios/signed-in-browser.ts';

/** What random requests find on the server, so that many of them lead somewhere. */
export interface Targets {
  readonly token: string;
  /** Values of a parameter of the forge's paths, `owner`. */
  readonly valuesOf: (parameter: string) => readonly string[] | undefined;
  /** The header of a signed-in browser, and what its forms have to send. */
  readonly cookie: string;
  readonly formToken: string;
  /** The host of the function URL of `aliveFunction`, and its path on the site's own host. */
  readonly urlHost: string;
  readonly urlPath: string;
  /** Ids of what GraphQL knows. */
  readonly nodes: readonly string[];
  /** Values of the fields of inputs of the function service. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly client: LambdaClient;
  /** No random request names it. */
  readonly aliveFunction: string;
}

const handler = { 'index.mjs': 'export const handler = async () => 1;' };
const functionNames = ['known', 'other'];
const aliveFunction = 'alive';

let client: LambdaClient | undefined;
let usual: string | undefined;
let session: Pick<Targets, 'cookie' | 'formToken'> | undefined;

/** Makes what is not there, or not any more: random requests delete things as well. */
export async function prepareTargets(server: RunningServer): Promise<Targets> {
  const { url, login } = server;
  const token = await validToken(server);
  client ??= clientOf(url);
  // Once: wrong credentials in random requests end sign-ins from this address for a while.
  session ??= await signedIn(server);
  for (const name of [...functionNames, aliveFunction]) {
    await client
      .send(new CreateFunctionCommand(functionOf(name, handler, {})))
      .catch((error: unknown) => {
        if (Object(error).name !== 'ResourceConflictException') throw error;
      });
  }
  const api = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'user-agent': 'faults' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json().catch(() => undefined);
  };
  const repository = `/repos/${login}/work`;
  await api('POST', '/user/repos', { name: 'work', auto_init: true });
  await api('POST', '/admin/users', { login: 'ada', email: 'ada@example.test' });
  await api('POST', '/admin/organizations', { login: 'acme', admin: login });
  const { object } = (await api('GET', `${repository}/git/ref/heads/main`)) ?? {};
  await api('POST', `${repository}/git/refs`, { ref: 'refs/heads/topic', sha: object?.sha });
  await api('PUT', `${repository}/contents/a.txt`, {
    message: 'a',
    content: 'YQ==',
    branch: 'topic',
  });
  await api('POST', `${repository}/pulls`, { title: 'T', head: 'topic', base: 'main' });
  await api('POST', `${repository}/issues`, { title: 'I' });
  const sha = String(object?.sha ?? 'main');
  const found = ['/user', repository, `${repository}/pulls/1`, `${repository}/issues/2`];
  const nodes = await Promise.all(found.map(async (path) => (await api('GET', path))?.node_id));
  const { FunctionUrl = '' } = await functionUrlOf(client);
  const urlId = /[a-z2-7]{32}/.exec(FunctionUrl)?.[0] ?? '';
  const named: Record<string, readonly string[]> = {
    owner: [login],
    repo: ['work'],
    // Not that of the site administrator, whose tokens an operation revokes.
    username: ['ada', 'nobody'],
    org: ['acme'],
    sha: [sha],
    ref: ['main', sha, 'heads/main'],
    branch: ['main', 'topic'],
    base: ['main'],
    head: ['topic'],
    name: [...functionNames, 'bug'],
  };
  return {
    token,
    client,
    aliveFunction,
    ...session,
    urlHost: new URL(FunctionUrl).host,
    urlPath: `/lambda-url/${urlId}/`,
    nodes: nodes.filter((id) => typeof id === 'string'),
    valuesOf: (parameter) =>
      named[parameter] ?? (/_(id|number)$/.test(parameter) ? ['1', '2', '3'] : undefined),
    inputs: {
      FunctionName: [...functionNames, 'missing'],
      Qualifier: ['$LATEST', '1', '2', 'live'],
      FunctionVersion: ['$LATEST', '1', '7'],
      Name: ['live', 'nobody'],
    },
  };
}

/** Random requests revoke tokens as well. */
async function validToken(server: RunningServer): Promise<string> {
  const token = usual ?? server.token;
  const headers = { authorization: `token ${token}`, 'user-agent': 'faults' };
  const { status } = await fetch(`${server.url}/api/v3/user`, { headers });
  if (status === 200) return token;
  const printed = await server.admin('create-token', server.login, '--scopes', allScopes);
  usual = /hob_\w+/.exec(printed)?.[0];
  if (usual === undefined) throw new Error(`No token was created: ${printed}`);
  return usual;
}

const allScopes = 'repo,admin:org,admin:public_key,user,delete_repo,notifications,site_admin';

/** Of the function that is always there; open to everybody. */
async function functionUrlOf(lambda: LambdaClient): Promise<{ FunctionUrl?: string | undefined }> {
  const FunctionName = aliveFunction;
  try {
    return await lambda.send(new GetFunctionUrlConfigCommand({ FunctionName }));
  } catch {
    const statement = { StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', Principal: '*' };
    const FunctionUrlAuthType = 'NONE';
    const given = { FunctionName, ...statement, FunctionUrlAuthType } as const;
    await lambda.send(new AddPermissionCommand(given));
    return lambda.send(new CreateFunctionUrlConfigCommand({ FunctionName, AuthType: 'NONE' }));
  }
}

async function signedIn(server: RunningServer): Promise<Pick<Targets, 'cookie' | 'formToken'>> {
  const browser = await openSignedInBrowser(server);
  const { text } = await browser.get('/-/new');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { cookie, formToken: hiddenFields(text, '/-/new')['form_token'] ?? '' };
}
