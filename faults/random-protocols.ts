/** Random requests to CloudWatch Logs, to services of AWS that Hob does not have, and to functions at their URLs. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

import { hostileQuery, hostileSegment, nastyText } from '../forge/testing/hostile-values.ts';
import { type RandomRequest, type Route, seldom, someHeaders, withQuery } from './random-route.ts';

export function otherProtocols(): readonly Route[] {
  return [
    ...logsOperations.map(toLogs),
    ...otherServices.map(toOtherService),
    toFunctionUrl,
    toFunctionPath,
  ];
}

const logsOperations = [
  'FilterLogEvents',
  'GetLogEvents',
  'DescribeLogGroups',
  'DescribeLogStreams',
  'StartLiveTail',
  'ListTagsForResource',
  'ListTagsLogGroup',
  'PutLogEvents',
];

function toLogs(operation: string): Route {
  return () => {
    const group = fc.oneof(
      fc.constantFrom('/aws/lambda/alive', '/aws/lambda/known'),
      fc.constant('arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/alive:*'),
      nastyText,
    );
    const number = fc.oneof(fc.integer(), fc.constantFrom(0, 1, 50, 1.5, 1e21), nastyText);
    const pattern = fc.oneof(
      fc.constantFrom(
        'ERROR',
        '"a b"',
        '?a ?b',
        '-x',
        '{ $.a = 1 }',
        '{ $.a[0] IS NULL }',
        '[a, b]',
      ),
      fc.constantFrom('{ ($.a = *) && ($.b != "x") }', '{', '%a{1,9}%', '%(a+)+$%', '[w=1, ...]'),
      nastyText,
    );
    const input = fc.record(
      {
        logGroupName: group,
        logGroupIdentifier: group,
        logGroupIdentifiers: fc.array(group, { maxLength: 3 }),
        logGroupNamePrefix: nastyText,
        logGroupNamePattern: nastyText,
        logStreamName: nastyText,
        logStreamNames: fc.array(nastyText, { maxLength: 3 }),
        logStreamNamePrefix: nastyText,
        logEventFilterPattern: pattern,
        filterPattern: pattern,
        orderBy: fc.constantFrom('LogStreamName', 'LastEventTime', 'x'),
        descending: fc.constantFrom(true, false, 'x'),
        startFromHead: fc.boolean(),
        limit: number,
        startTime: number,
        endTime: number,
        nextToken: nastyText,
        resourceArn: group,
      },
      { requiredKeys: [] },
    );
    return input.map((given) => ({
      name: `logs ${operation}`,
      method: 'POST',
      target: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `Logs_20140328.${operation}`,
      },
      body: JSON.stringify(given),
    }));
  };
}

/** Services, as the scope of a signature names them, whose requests arrive here when a client has one endpoint for all. */
const otherServices = ['sts', 'logs', 's3', 'iam', 'dynamodb', 'sqs', 'ec2', 'monitoring', 'none'];

function toOtherService(service: string): Route {
  return () =>
    fc
      .record({
        method: fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'DELETE', 'HEAD'),
        path: fc.oneof(
          fc.constant('/'),
          hostileSegment.map((text) => `/bucket/${text}`),
        ),
        type: fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/x-amz-json-1.0',
          'application/x-amz-json-1.1',
          'application/cbor',
          'application/xml',
        ),
        action: fc.oneof(fc.constantFrom('GetCallerIdentity', 'AssumeRole'), nastyText),
        signature: fc.oneof(fc.constant('0'.repeat(64)), nastyText),
        body: fc.oneof(nastyText, fc.json(), fc.constant('')),
      })
      .map(({ method, path, type, action, signature, body }) => {
        const scope = `AKIASCENARIO/20260102/us-east-1/${service}/aws4_request`;
        const safe = signature.replaceAll(/[^ -~]/g, '');
        const form = new URLSearchParams({ Action: action, Version: '2011-06-15', x: body });
        const isForm = type.includes('form');
        return {
          name: `service ${service}`,
          method,
          target: path,
          headers: {
            'content-type': type,
            authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${safe}`,
          },
          body: method === 'GET' || method === 'HEAD' ? undefined : isForm ? form.toString() : body,
        };
      });
}

const toFunctionUrl: Route = (targets) =>
  toFunction('function URL', '/', { host: targets.urlHost });

const toFunctionPath: Route = (targets) => toFunction('function path', targets.urlPath, {});

function toFunction(
  name: string,
  path: string,
  usual: Readonly<Record<string, string>>,
): Arbitrary<RandomRequest> {
  return fc
    .record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
      segments: fc.array(hostileSegment, { maxLength: 3 }),
      query: hostileQuery,
      headers: someHeaders,
      origin: seldom(fc.constantFrom('null', 'http://x.test', ',')),
      body: fc.oneof(
        fc.constant(undefined),
        nastyText.map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      ),
    })
    .map(({ method, segments, query, headers, origin, body }) => ({
      name,
      method,
      target: withQuery(path + segments.join('/'), query),
      headers: { ...headers, ...(origin === undefined ? {} : { origin }), ...usual },
      body: method === 'GET' || method === 'HEAD' ? undefined : body,
    }));
}
