import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { OperatorError } from '#platform/operator-error.ts';

import { noConfiguredResources } from './configured-resources.ts';
import { parseConfiguredResources, readConfiguredResources } from './read-configured-resources.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failed';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'very-secret' };

describe('the file of configured resources', () => {
  const refusals: readonly [unknown, string][] = [
    [[], 'the document must be an object.'],
    [{ subnet: {} }, 'the document has the unknown member "subnet". Did you mean "subnets"?'],
    [{ subnets: [] }, 'subnets must be an object.'],
    [{ subnets: { net: {} } }, 'the name of subnets["net"] must match ^subnet-[0-9a-z]*$.'],
    [{ subnets: { 'subnet-1': {} } }, 'subnets["subnet-1"] must be an object with a member "vpc".'],
    [{ subnets: { 'subnet-1': { vpc: 1 } } }, 'subnets["subnet-1"].vpc must be a name like vpc-1.'],
    [
      { subnets: { 'subnet-1': { vpc: 'vpc-1', reaches: [{ name: 'db', port: 0, at: 'a:1' }] } } },
      'subnets["subnet-1"].reaches[0].port must be a whole number from 1 to 65535.',
    ],
    ...['a:65536', 'a:0', 'a', ':1'].map((at): [unknown, string] => [
      { subnets: { 'subnet-1': { vpc: 'vpc-1', reaches: [{ name: 'db', port: 1, at }] } } },
      'subnets["subnet-1"].reaches[0].at must be host:port.',
    ]),
    [
      { securityGroups: { 'sg-1': { vpc: 'vpc-1', port: [1] } } },
      'securityGroups["sg-1"] has the unknown member "port". Did you mean "ports"?',
    ],
    [
      {
        accessPoints: {
          'arn:aws:elasticfilesystem:r:123456789012:access-point/fsap-1': { folder: 'a' },
        },
      },
      'accessPoints["arn:aws:elasticfilesystem:r:123456789012:access-point/fsap-1"].folder must be the absolute path of a folder.',
    ],
    [
      { targets: { [queue]: {} } },
      `targets["${queue}"] must be one of "folder", "http" and "endpoint".`,
    ],
    [
      { targets: { [queue]: { folder: '/a', http: 'http://b' } } },
      `targets["${queue}"] must be one of "folder", "http" and "endpoint".`,
    ],
    [
      { targets: { [queue]: { endpoint: 'ftp://b' } } },
      `targets["${queue}"].endpoint must be a URL that begins with http:// or https://.`,
    ],
    [
      { traceCollector: 'localhost:2000' },
      'traceCollector must be a URL that begins with udp:// or http:// or https://.',
    ],
    [
      { targets: { [queue]: { folder: '/a', credentials } } },
      `targets["${queue}"] must be without "credentials", which a folder does not use.`,
    ],
    [
      { targets: { [queue]: { endpoint: 'http://b', credentials: 'secret' } } },
      `targets["${queue}"].credentials must be an object.`,
    ],
    [
      { targets: { [queue]: { endpoint: 'http://b', credentials: { accessKeyId: 'A' } } } },
      `targets["${queue}"].credentials must be an object with a member "secretAccessKey".`,
    ],
    [
      {
        targets: {
          [queue]: { http: 'http://b', credentials: { ...credentials, secretAccessKey: 'a\nb' } },
        },
      },
      `targets["${queue}"].credentials.secretAccessKey must be printable ASCII.`,
    ],
    [
      {
        targets: {
          [queue]: { http: 'http://b', credentials: { ...credentials, secretAccesKey: 'x' } },
        },
      },
      `targets["${queue}"].credentials has the unknown member "secretAccesKey". Did you mean "secretAccessKey"?`,
    ],
  ];
  for (const [file, message] of refusals) {
    it(`is refused: ${message}`, () => {
      assert.throws(
        () => parseConfiguredResources(JSON.stringify(file), 'r.json'),
        (error) => {
          assert.ok(error instanceof OperatorError);
          assert.equal(error.message, `r.json: ${message}`);
          return true;
        },
      );
    });
  }

  it('is refused when it is no JSON or is not there', async () => {
    assert.throws(
      () => parseConfiguredResources('{', 'r.json'),
      /^OperatorError: r\.json is not JSON: /,
    );
    await assert.rejects(
      readConfiguredResources('/no/such/file'),
      /HOB_RESOURCES, \/no\/such\/file/,
    );
  });

  it('is not quoted when it is no JSON: there may be a secret in it', () => {
    for (const text of [
      '{"secret": very-secret}',
      '{"secret": "very-secret" x}',
      '"very-secret',
      'v',
    ]) {
      assert.throws(
        () => parseConfiguredResources(text, 'r.json'),
        (error) => {
          assert.ok(error instanceof OperatorError);
          assert.match(error.message, /^r\.json is not JSON: \w.*[^.]\.$/);
          assert.doesNotMatch(error.message, /secret/);
          return true;
        },
      );
    }
  });

  it('gives the key that requests to a target are signed with', () => {
    const file = {
      targets: {
        [queue]: {
          endpoint: 'http://b',
          credentials: { ...credentials, sessionToken: 'token' },
        },
      },
    };
    const target = parseConfiguredResources(JSON.stringify(file), 'r.json').targets.get(queue);
    assert.ok(target?.kind === 'endpoint');
    assert.deepEqual(target.key?.reveal(), {
      id: 'AKIDEXAMPLE',
      secret: 'very-secret',
      sessionToken: 'token',
    });
  });

  it('declares nothing when it is empty', () => {
    assert.deepEqual(parseConfiguredResources('{}', 'r.json'), noConfiguredResources);
  });

  it('declares all kinds of resources', () => {
    const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:cp';
    const configured = parseConfiguredResources(
      JSON.stringify({
        subnets: {
          'subnet-1': {
            vpc: 'vpc-1',
            reaches: [{ name: 'db', port: 5432, at: '127.0.0.1:15432' }],
          },
        },
        securityGroups: { 'sg-1': { vpc: 'vpc-1', ports: [5432] }, 'sg-2': { vpc: 'vpc-1' } },
        targets: { [queue]: { folder: '/srv/failed' } },
        capacityProviders: { [provider]: { environmentsMax: 4 } },
        traceCollector: 'udp://127.0.0.1:2000',
      }),
      'r.json',
    );
    assert.deepEqual(configured, {
      ...noConfiguredResources,
      subnets: new Map([
        [
          'subnet-1',
          { vpcId: 'vpc-1', reaches: [{ name: 'db', port: 5432, at: '127.0.0.1:15432' }] },
        ],
      ]),
      securityGroups: new Map([
        ['sg-1', { vpcId: 'vpc-1', ports: [5432] }],
        ['sg-2', { vpcId: 'vpc-1', ports: undefined }],
      ]),
      targets: new Map([[queue, { kind: 'folder', folder: '/srv/failed' }]]),
      capacityProviders: new Map([[provider, { environmentsMax: 4 }]]),
      traceCollector: 'udp://127.0.0.1:2000',
    });
  });
});
