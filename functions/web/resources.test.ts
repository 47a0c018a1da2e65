import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { addResource } from '../added-resources/administer-resources.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';
import { pages } from './page-table.ts';

const page = '/-/admin/resources';
const queue = 'arn:aws:sqs:us-east-1:123456789012:failures';

describe('configured resources in the console', () => {
  let service: TestConsole;
  let administrator: Browser<TestResponse>;

  before(async () => {
    const subnet = { vpcId: 'vpc-1', reaches: [] };
    service = await createTestConsole({
      settings: { sharedFolders: ['/srv/shared'], sharedHosts: ['127.0.0.1:1'] },
      fileResources: { subnets: new Map([['subnet-file', subnet]]) },
      configured: { targets: new Map([[queue, { kind: 'folder', folder: '/srv' }]]) },
    });
    administrator = await service.signedIn('root', { siteAdmin: true });
  });
  after(() => service.close());

  async function send(
    act: 'add' | 'remove',
    fields: Readonly<Record<string, string>>,
  ): Promise<TestResponse> {
    const { text } = await administrator.get(page);
    const form_token = filledForm(text, `${page}/add`).get('form_token') ?? '';
    return administrator.post(`${page}/${act}`, { form_token, ...fields });
  }

  async function lastAudited(): Promise<Readonly<Record<string, unknown>>> {
    const log = await readFile(join(service.folder, 'audit.log'), 'utf8');
    return JSON.parse(log.trimEnd().split('\n').at(-1) ?? '');
  }

  test('pages for site administrators are not there for other users of the console', async () => {
    const user = await service.signedIn('ada');
    for (const { path, acts = {} } of pages.filter(({ forSiteAdmins }) => forSiteAdmins)) {
      assert.equal((await administrator.get(path)).status, 200, path);
      assert.equal((await user.get(path)).status, 404, path);
      for (const act of Object.keys(acts)) {
        assert.equal((await user.post(`${path}/${act}`, {})).status, 404, `${path}/${act}`);
      }
    }
  });

  test('what cannot be declared comes back with the reason and as it was filled in', async () => {
    for (const [fields, reason] of [
      [{ kind: 'constructor', name: 'x', declaration: '{}' }, /The kind is one of/],
      [{ kind: 'subnet', name: '<b>', declaration: '{"vpc":"vpc-1"}' }, /must match/],
      [{ kind: 'subnet', name: 'subnet-1', declaration: '</textarea>' }, /The declaration/],
      [{ kind: 'subnet', name: 'subnet-1', declaration: '{}' }, /vpc/],
      [{ kind: 'subnet', name: 'subnet-file', declaration: '{"vpc":"vpc-2"}' }, /HOB_RESOURCES/],
    ] as const) {
      const refused = await send('add', fields);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /role="alert"/);
      assert.match(refused.text, reason);
      assert.doesNotMatch(refused.text, /<b>|<\/textarea><\/textarea>/);
    }
    const absent = await send('remove', { kind: 'subnet', name: 'subnet-1' });
    assert.match(absent.text, /There is no subnet subnet-1/);
    assert.equal((await lastAudited())['errorCode'], 'InvalidParameterValueException');
    const { text } = await administrator.get(page);
    assert.match(text, /subnet-file<[^]*from the file/);
    assert.doesNotMatch(text, /subnet-1</);
  });

  test('open nothing of the host that its operator does not share', async () => {
    const accessPoint =
      'arn:aws:elasticfilesystem:us-east-1:123456789012:access-point/fsap-0123456789abcdef0';
    const reaching = (at: string): object => ({
      vpc: 'vpc-1',
      reaches: [{ name: 'db', port: 80, at }],
    });
    for (const [kind, name, declaration, reason] of [
      ['access-point', accessPoint, { folder: '/' }, /HOB_SHARED_FOLDERS/],
      ['access-point', accessPoint, { folder: '/srv/shared' }, /HOB_SHARED_FOLDERS/],
      ['access-point', accessPoint, { folder: '/srv/shared/../etc' }, /HOB_SHARED_FOLDERS/],
      ['target', queue, { folder: '/etc/cron.d' }, /HOB_SHARED_FOLDERS/],
      ['target', queue, { http: 'http://127.0.0.1/' }, /HOB_SHARED_HOSTS/],
      ['target', queue, { endpoint: 'http://example.org:1' }, /HOB_SHARED_HOSTS/],
      ['subnet', 'subnet-1', reaching('169.254.169.254:80'), /HOB_SHARED_HOSTS/],
    ] as const) {
      const refused = await send('add', { kind, name, declaration: JSON.stringify(declaration) });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, reason);
    }
    for (const [kind, name, declaration] of [
      ['access-point', accessPoint, { folder: '/srv/shared/photos' }],
      ['subnet', 'subnet-1', reaching('127.0.0.1:1')],
    ] as const) {
      const added = await send('add', { kind, name, declaration: JSON.stringify(declaration) });
      assert.equal(added.status, 303, added.text);
      await send('remove', { kind, name });
    }
  });

  test('are added and removed, which the audit log records without their credentials', async () => {
    const declaration = JSON.stringify({
      http: 'http://127.0.0.1:1/',
      credentials: { accessKeyId: 'AKID', secretAccessKey: 'a-secret-of-the-queue' },
    });
    const added = await send('add', { kind: 'target', name: ` ${queue} `, declaration });
    assert.equal(added.status, 303, added.text);
    assert.equal(added.headers['location'], page);
    const line = await lastAudited();
    assert.equal(line['event'], 'AddResource');
    assert.deepEqual(line['parameters'], { Kind: 'target', Name: queue });
    assert.match(String(line['principal']), /root/);
    assert.equal(line['errorCode'], undefined);
    const shown = (await administrator.get(page)).text;
    assert.match(shown, new RegExp(queue));
    assert.doesNotMatch(shown, /a-secret/);
    const log = await readFile(join(service.folder, 'audit.log'), 'utf8');
    assert.doesNotMatch(log, /a-secret/);

    await service.create('notifying', { DeadLetterConfig: { TargetArn: queue } });
    const used = await send('remove', { kind: 'target', name: queue });
    assert.equal(used.status, 400);
    assert.match(used.text, /in use by notifying/);
    await service.call('DeleteFunction', { FunctionName: 'notifying' });
    assert.equal((await send('remove', { kind: 'target', name: queue })).status, 303);
    assert.equal((await lastAudited())['event'], 'RemoveResource');
    assert.doesNotMatch((await administrator.get(page)).text, new RegExp(queue));
  });

  test('are listed by pages, whatever the address asks for', async () => {
    for (let index = 0; index < 51; index += 1) {
      const named = {
        kind: 'security-group',
        name: `sg-${String(index).padStart(3, '0')}`,
      } as const;
      await addResource(service.ports, named, '{"vpc":"vpc-1"}', service.ports.fileResources, {
        dataDirectory: service.ports.dataDirectory,
        shared: undefined,
      });
    }
    assert.doesNotMatch((await administrator.get(page)).text, /sg-050/);
    assert.match((await administrator.get(`${page}?page=2`)).text, /sg-050/);
    for (const number of ['0', '-1', '1e9', 'x', '']) {
      assert.match((await administrator.get(`${page}?page=${number}`)).text, /sg-000/, number);
    }
    assert.match((await administrator.get(`${page}?page=999999`)).text, /No resource/);
  });
});
