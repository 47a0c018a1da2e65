import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { recogniseService } from './recognise-service.ts';

const signedFor = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=AKIA/20260102/us-east-1/${service}/aws4_request, SignedHeaders=host`;
const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

describe('a request to another AWS service', () => {
  const requests: readonly (readonly [
    name: string,
    request: Parameters<typeof recogniseService>[0],
    expected: ReturnType<typeof recogniseService>,
  ])[] = [
    [
      'by its scope',
      { url: '/', headers: { authorization: signedFor('s3') } },
      { name: 's3', protocol: 's3' },
    ],
    [
      'by the scope of its query',
      { url: '/x?X-Amz-Credential=A%2F20260102%2Fus-east-1%2Fsts%2Faws4_request', headers: {} },
      { name: 'sts', protocol: 'query' },
    ],
    [
      'by its target',
      { method: 'POST', url: '/', headers: { 'x-amz-target': 'Logs_20140328.GetLogEvents' } },
      { name: 'logs', protocol: 'json' },
    ],
    [
      'by the target of a service that is not served',
      { method: 'POST', url: '/', headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' } },
      { name: 'DynamoDB_20120810', protocol: 'json' },
    ],
    [
      'by a form',
      { method: 'POST', url: '/', headers: form },
      { name: 'query', protocol: 'query' },
    ],
    [
      'by an action',
      { method: 'GET', url: '/?Version=1&Action=GetCallerIdentity', headers: {} },
      { name: 'query', protocol: 'query' },
    ],
    [
      'in CBOR',
      {
        url: '/service/x',
        headers: { authorization: signedFor('monitoring'), 'smithy-protocol': 'rpc-v2-cbor' },
      },
      { name: 'monitoring', protocol: 'cbor' },
    ],
    [
      'in XML',
      { url: '/2013-04-01/hostedzone', headers: { authorization: signedFor('route53') } },
      { name: 'route53', protocol: 'rest-xml' },
    ],
    [
      'of EC2',
      { method: 'POST', url: '/', headers: { ...form, authorization: signedFor('ec2') } },
      { name: 'ec2', protocol: 'ec2' },
    ],
  ];
  for (const [name, request, expected] of requests) {
    test(`${name} is recognised`, () => assert.deepEqual(recogniseService(request), expected));
  }

  const none: readonly (readonly [
    name: string,
    request: Parameters<typeof recogniseService>[0],
  ])[] = [
    ['signed for functions', { url: '/', headers: { authorization: signedFor('lambda') } }],
    [
      'to a path of functions that is signed for another',
      { url: '/2015-03-31/functions/', headers: { authorization: signedFor('s3') } },
    ],
    ['of the forge', { method: 'POST', url: '/user/repos', headers: form }],
    ['with another scheme', { url: '/', headers: { authorization: 'Bearer AWS4-HMAC' } }],
    ['with a damaged query', { url: '/?X-Amz-Credential=%ff', headers: {} }],
  ];
  for (const [name, request] of none) {
    test(`is none that is ${name}`, () => assert.equal(recogniseService(request), undefined));
  }
});
