import { CreateFunctionCommand, type LambdaClient } from '@aws-sdk/client-lambda';

import { clientOf, functionOf } from '../scenarios/function-service.ts';
import type { RunningServer } from '../scenarios/running-server.ts';

/** What random requests find on the server, so that many of them lead somewhere. */
export interface Targets {
  readonly token: string;
  /** Values of a parameter of the forge's paths, `owner`. */
  readonly valuesOf: (parameter: string) => readonly string[] | undefined;
  /** Values of the members of inputs of the function service. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly client: LambdaClient;
  /** No random request names it. */
  readonly aliveFunction: string;
}

const handler = { 'index.mjs': 'export const handler = async () => 1;' };
const functionNames = ['known', 'other'];
const aliveFunction = 'alive';

let client: LambdaClient | undefined;

/** Makes what is not there, or not any more: random requests delete things as well. */
export async function prepareTargets({ url, login, token }: RunningServer): Promise<Targets> {
  client ??= clientOf(url);
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
  await api('POST', '/orgs', { login: 'acme' });
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
  const named: Record<string, readonly string[]> = {
    owner: [login],
    repo: ['work'],
    username: [login, 'nobody'],
    org: ['acme'],
    sha: [sha],
    ref: ['main', sha, 'heads/main'],
    branch: ['main', 'topic'],
    base: ['main'],
    head: ['topic'],
  };
  return {
    token,
    client,
    aliveFunction,
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
