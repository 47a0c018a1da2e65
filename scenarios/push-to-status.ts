import {
  AddPermissionCommand,
  CreateFunctionUrlConfigCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';

import type { RunningServer } from './running-server.ts';

export const webhookSecret = 'a secret of webhooks';

/**
 * A handler as tutorials have it, for a function URL and for an ARN: checks the signature, and answers a push with a status. A commit
 * whose message contains `broken` fails.
 */
export const gateHandler = `
import { createHmac, timingSafeEqual } from 'node:crypto';

const { WEBHOOK_SECRET, GITHUB_TOKEN } = process.env;

const isSigned = (signature, body) => {
  const expected = Buffer.from('sha256=' + createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex'));
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
};

export const handler = async ({ headers, body }) => {
  if (!isSigned(headers['x-hub-signature-256'], body)) return { statusCode: 401 };
  const { after, repository, head_commit: commit } = JSON.parse(body);
  if (!commit) return { statusCode: 204 };
  const state = commit.message.includes('broken') ? 'failure' : 'success';
  const answer = await fetch(repository.statuses_url.replace('{sha}', after), {
    method: 'POST',
    headers: { authorization: 'token ' + GITHUB_TOKEN, 'user-agent': 'gate' },
    body: JSON.stringify({ state, context: 'gate', description: 'The gate has looked.' }),
  });
  if (answer.status !== 201) throw new Error('The status was answered with ' + answer.status + ': ' + (await answer.text()));
  return { statusCode: 200, body: state };
};`;

/** Opens a function to everybody by a URL. */
export async function openUrl(client: LambdaClient, FunctionName: string): Promise<string> {
  const { FunctionUrl } = await client.send(
    new CreateFunctionUrlConfigCommand({ FunctionName, AuthType: 'NONE' }),
  );
  await client.send(
    new AddPermissionCommand({
      FunctionName,
      StatementId: 'public',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    }),
  );
  if (FunctionUrl === undefined) throw new Error('The function URL has no address.');
  return FunctionUrl;
}

/** Lets the webhooks of a repository have a function as their target by its ARN. */
export async function allowWebhooks(
  client: LambdaClient,
  FunctionName: string,
  repository: string,
): Promise<void> {
  await client.send(
    new AddPermissionCommand({
      FunctionName,
      StatementId: 'webhooks',
      Action: 'lambda:InvokeFunction',
      Principal: 'codecommit.amazonaws.com',
      SourceArn: `arn:aws:codecommit:us-east-1:123456789012:${repository}`,
    }),
  );
}

export interface ApiResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any;
}

/** A request to the REST API as the administrator. */
export async function api(
  { url, token }: Pick<RunningServer, 'url' | 'token'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse> {
  const response = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'user-agent': 'hob-scenario' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}
