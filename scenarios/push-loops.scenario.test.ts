import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { until } from './patience.ts';
import { api as apiOf, type ApiResponse, openUrl } from './push-to-status.ts';

const patient = { seconds: 60 };

/** Answers each push with another. */
const pushingHandler = `
export const handler = async ({ body }) => {
  const { after, repository } = JSON.parse(body);
  if (!after) return { statusCode: 204 };
  const answer = await fetch(repository.contents_url.replace('{+path}', 'turn-' + after), {
    method: 'PUT',
    headers: { authorization: 'token ' + process.env.GITHUB_TOKEN },
    body: JSON.stringify({ message: 'turn', content: '' }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { statusCode: 200 };
};`;

for (const network of ['none', 'host']) {
  describe(`a function that pushes on every push, with the network ${network}`, () => {
    let service: FunctionService;
    before(async () => {
      service = await startFunctionService({ HOB_FUNCTION_NETWORK: network });
    });
    after(() => service.stop());

    const api = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
      apiOf(service.server, method, path, body);

    async function refusedAfter(hook: string, former?: number): Promise<number> {
      const refused = await until(async () => {
        const [last] = (await api('GET', `${hook}/deliveries`)).body;
        return last.status_code === 400 && last.id !== former ? last : undefined;
      }, patient);
      const { body } = await api('GET', `${hook}/deliveries/${refused.id}`);
      assert.match(body.response.payload, /Recursive loop: .* 16 times/);
      return refused.id;
    }

    test('ends, with the reason in the delivery, and begins again with the next push', async () => {
      const Variables = { GITHUB_TOKEN: service.server.token };
      const settings = { Environment: { Variables }, Timeout: 60 };
      await service.create('loop', { 'index.mjs': pushingHandler }, settings);
      await api('POST', '/user/repos', { name: 'loop', auto_init: true });
      const repository = `/repos/${service.server.login}/loop`;
      const url = await openUrl(service.client, 'loop');
      const created = await api('POST', `${repository}/hooks`, {
        config: { url, content_type: 'json' },
        events: ['push'],
      });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const hook = `${repository}/hooks/${created.body.id}`;
      const turns = async (start: string): Promise<number> => {
        const content = Buffer.from(start).toString('base64');
        const path = `${repository}/contents`;
        const put = await api('PUT', `${path}/${start}`, { message: start, content });
        assert.equal(put.status, 201, JSON.stringify(put.body));
        refused = await refusedAfter(hook, refused);
        const names = (await api('GET', path)).body.map(({ name }: { name: string }) => name);
        return names.filter((name: string) => name.startsWith('turn-')).length;
      };
      let refused: number | undefined;
      assert.equal(await turns('one'), 16);
      // A client of the same machine is not taken for the function.
      assert.equal(await turns('two'), 32);
    });
  });
}
