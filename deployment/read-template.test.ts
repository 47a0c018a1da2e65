import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { readTemplate } from './read-template.ts';
import type { FunctionTemplate } from './template.ts';

function problemsOf(text: string): readonly string[] {
  const reading = readTemplate(text, 'template.yaml');
  return reading.kind === 'refused' ? reading.problems : assert.fail('the template was accepted');
}

function functionsOf(text: string): readonly FunctionTemplate[] {
  const reading = readTemplate(text, 'template.yaml');
  return reading.kind === 'template'
    ? reading.template.functions
    : assert.fail(reading.problems.join('\n'));
}

const greet = `Resources:
  Greet:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: code
`;

const queueEvent = (properties: string): string =>
  `${greet}      Events:\n        A: { Type: SQS, Properties: { ${properties} } }`;

describe('a template', () => {
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ['that is no YAML', 'Resources: [', /^template\.yaml:1: /],
    ['that is a list', '- a', /^template\.yaml:1: must be a mapping/],
    ['without resources', 'Description: x', /the template has no Resources/],
    ['with an unknown section', `${greet}Conditions: {}`, /:6: Conditions: .*not supported/],
    ['with another transform', `Transform: Other\n${greet}`, /:1: Transform: only AWS::Serverless/],
    [
      'with another resource',
      'Resources:\n  Table:\n    Type: AWS::DynamoDB::Table',
      /:3: Resources\.Table: it is AWS::DynamoDB::Table/,
    ],
    [
      'with an API',
      `${greet}      Events:\n        Get: { Type: HttpApi }`,
      /:7: Resources\.Greet\.Properties\.Events\.Get: there is no API Gateway/,
    ],
    [
      'with a schedule',
      `${greet}      Events: { A: { Type: Schedule } }`,
      /Events\.A: deploy supports no events but those of type SQS/,
    ],
    [
      'with a queue that it does not name',
      queueEvent('BatchSize: 1'),
      /A\.Properties: Queue is missing/,
    ],
    ['with a bad size', queueEvent('Queue: q, BatchSize: x'), /BatchSize: must be a whole number/],
    [
      'with something else of a queue',
      queueEvent('Queue: q, KmsKeyArn: x'),
      /A\.Properties\.KmsKeyArn: this property is not supported/,
    ],
    [
      'with a queue of its own',
      queueEvent('Queue: !GetAtt Q.Arn'),
      /A\.Properties\.Queue: !GetAtt is not supported/,
    ],
    [
      'with one queue twice',
      `${queueEvent('Queue: q')}\n        B: { Type: SQS, Properties: { Queue: q } }`,
      /Events\.B: another event has this queue/,
    ],
    [
      'with events for all functions',
      `Globals: { Function: { Events: { A: { Type: SQS, Properties: { Queue: q } } } } }\n${greet}`,
      /Events are not supported in Globals/,
    ],
    ['with policies', `${greet}      Policies: []`, /:6: .*Policies: roles have no policies/],
    ['with an image', `${greet}      ImageUri: x`, /only code in a folder/],
    ['with an unknown property', `${greet}      Tracing: Active`, /\.Tracing: deploy does not/],
    ['that builds', `${greet}    Metadata: { BuildMethod: esbuild }`, /nothing is built/],
    ['with another global', `Globals: { Api: {} }\n${greet}`, /Globals\.Api: only Function/],
    ['without code', greet.replace('CodeUri: code', 'Handler: x'), /CodeUri is missing/],
    ['with code elsewhere', greet.replace('code', '../x'), /:5: .*CodeUri must be a relative path/],
    ['with code of S3', greet.replace('code', 's3://b/k'), /CodeUri must be a relative path/],
    ['with an absolute path', greet.replace('code', '/etc'), /CodeUri must be a relative path/],
    ['with a bad number', `${greet}      Timeout: soon`, /Timeout: must be a whole number/],
    ['with a mapping for a string', `${greet}      Handler: { a: 1 }`, /Handler: must be a string/],
    [
      'with a function of CloudFormation',
      `${greet}      Role: !GetAtt R.Arn`,
      /:6: Resources\.Greet\.Properties\.Role: !GetAtt is not supported/,
    ],
    [
      'with its long form',
      `${greet}      Role: { "Fn::ImportValue": x }`,
      /Role: Fn::ImportValue is not supported/,
    ],
    ['with an unknown parameter', `${greet}      Role: !Ref R`, /Role: R is not a parameter/],
    [
      'with an unknown AuthType',
      `${greet}      FunctionUrlConfig: { AuthType: X }`,
      /NONE or AWS_/,
    ],
    [
      'with a name of another function’s version',
      `${greet}      FunctionName: "greet:1"`,
      /:6: .*FunctionName must be 1 to 64 letters, digits, hyphens and underscores/,
    ],
    ['with a long name', greet.replace('Greet', 'g'.repeat(65)), /FunctionName must be 1 to 64/],
    ['with one key twice', `${greet}      CodeUri: code`, /:6: .*unique/],
    [
      'with one name twice',
      `${greet}  Other:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: a\n      FunctionName: Greet`,
      /two functions are named Greet/,
    ],
  ];
  for (const [name, text, problem] of refusals) {
    test(`${name} is refused with its line`, () => {
      assert.match(problemsOf(text).join('\n'), problem);
    });
  }

  test('is refused where aliases multiply', () => {
    const layers = Array.from({ length: 200 }, () => '*a').join(', ');
    const text = `${greet}      Handler: &a x\n      Layers: [${layers}]`;
    const problems = problemsOf(text).filter((problem) => problem.includes('aliases'));
    assert.equal(problems.length, 1);
  });

  test('shows all problems together', () => {
    const text = `${greet}      Policies: []\n      Timeout: x`;
    assert.equal(problemsOf(text).length, 2);
  });

  test('has what it names, with Globals, parameters and substitutions', () => {
    const text = `
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: { Type: String, Default: test }
  Needed: { Type: String }
Globals:
  Function:
    Timeout: 10
    Runtime: nodejs24.x
    Layers: [one]
    Environment: { Variables: { STAGE: !Ref Stage, SHARED: 1 } }
Resources:
  Greet:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: !Sub 'greet-\${Stage}'
      CodeUri: ./code/
      Handler: index.handler
      Timeout: 20
      MemorySize: 256
      EphemeralStorage: { Size: 1024 }
      Architectures: [x86_64]
      Layers: [two]
      Description: 'a \${b}'
      Environment: { Variables: { SHARED: yes, OWN: { 'Fn::Sub': '\${!Stage}' } } }
      AutoPublishAlias: live
      FunctionUrlConfig:
        AuthType: NONE
        InvokeMode: BUFFERED
        Cors: { AllowOrigins: ['*'], MaxAge: 5, AllowCredentials: false }
      Events:
        Orders:
          Type: SQS
          Properties:
            Queue: arn:aws:sqs:us-east-1:123456789012:orders
            BatchSize: 20
            MaximumBatchingWindowInSeconds: 5
            Enabled: false
            FilterCriteria: { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] }
            FunctionResponseTypes: [ReportBatchItemFailures]
            ScalingConfig: { MaximumConcurrency: 3 }
  Plain: { Type: AWS::Serverless::Function, Properties: { CodeUri: . } }
Outputs:
  Url: { Value: !GetAtt GreetUrl.FunctionUrl }
`;
    assert.deepEqual(functionsOf(text), [
      {
        logicalId: 'Greet',
        name: 'greet-test',
        codeUri: 'code',
        settings: {
          Runtime: 'nodejs24.x',
          Handler: 'index.handler',
          Description: 'a ${b}',
          Timeout: 20,
          MemorySize: 256,
          EphemeralStorage: { Size: 1024 },
          Architectures: ['x86_64'],
          Layers: ['one', 'two'],
          Environment: { Variables: { STAGE: 'test', SHARED: 'yes', OWN: '${Stage}' } },
        },
        url: {
          AuthType: 'NONE',
          InvokeMode: 'BUFFERED',
          Cors: { AllowOrigins: ['*'], MaxAge: 5, AllowCredentials: false },
        },
        queues: [
          {
            eventName: 'Orders',
            EventSourceArn: 'arn:aws:sqs:us-east-1:123456789012:orders',
            settings: {
              BatchSize: 20,
              MaximumBatchingWindowInSeconds: 5,
              Enabled: false,
              FilterCriteria: { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] },
              FunctionResponseTypes: ['ReportBatchItemFailures'],
              ScalingConfig: { MaximumConcurrency: 3 },
            },
          },
        ],
        alias: 'live',
      },
      {
        logicalId: 'Plain',
        name: 'Plain',
        codeUri: '',
        settings: {
          Runtime: 'nodejs24.x',
          Timeout: 10,
          Layers: ['one'],
          Environment: { Variables: { STAGE: 'test', SHARED: '1' } },
        },
        url: undefined,
        queues: [],
        alias: undefined,
      },
    ]);
  });

  test('may be JSON', () => {
    const text = JSON.stringify({
      Resources: { A: { Type: 'AWS::Serverless::Function', Properties: { CodeUri: 'a' } } },
    });
    assert.equal(functionsOf(text)[0]?.codeUri, 'a');
  });
});

describe('a template that is too large', () => {
  const functionOf = (name: string, more = ''): string =>
    `  ${name}:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: a\n${more}`;
  const functionsText = (count: number): string =>
    Array.from({ length: count }, (_, index) => functionOf(`F${index}`)).join('');

  test('is refused with more than 64 KiB, and before it is parsed', () => {
    const text = `${greet}#${'x'.repeat(64 * 1024)}`;
    assert.deepEqual(problemsOf(text), ['template.yaml has more than 65536 bytes.']);
  });

  test('is refused with more than 100 functions', () => {
    assert.equal(functionsOf(`Resources:\n${functionsText(100)}`).length, 100);
    assert.match(problemsOf(`Resources:\n${functionsText(101)}`).join(), /more than 100 functions/);
  });

  test('reports 50 problems, and those of Globals once', () => {
    const layers = '      - [x]\n'.repeat(120);
    const globals = `Globals:\n  Function:\n    Layers:\n${layers}`;
    const problems = problemsOf(`${globals}Resources:\n${functionsText(2)}`);
    assert.equal(new Set(problems).size, 51);
    assert.match(problems.at(-1) ?? '', /^and \d+ more$/);
    const [one, ...others] = problemsOf(
      `Globals:\n  Function:\n    Handler: {}\nResources:\n${functionsText(100)}`,
    );
    assert.match(one ?? '', /:3: Globals\.Function\.Handler: must be a string/);
    assert.deepEqual(others, []);
  });

  test('cannot multiply values by Globals, or text by parameters', () => {
    const layers = '      - x\n'.repeat(1000);
    const globals = `Globals:\n  Function:\n    Layers:\n${layers}`;
    assert.match(
      problemsOf(`${globals}Resources:\n${functionsText(50)}`).join(),
      /more than 20000 values/,
    );
    const parameters = Array.from(
      { length: 30 },
      (_, index) => `  P${index + 1}: { Default: !Sub "\${P${index}}\${P${index}}" }\n`,
    ).join('');
    assert.match(
      problemsOf(`Parameters:\n  P0: { Default: 0123456789 }\n${parameters}${greet}`).join(),
      /insert more than 1048576 characters/,
    );
  });

  test('is read in time where substitutions have no end', () => {
    const handler = '${'.repeat(30_000);
    const globals = `Globals: { Function: { CodeUri: ., Handler: !Sub '${handler}' } }\n`;
    const functions = Array.from(
      { length: 20 },
      (_, index) => `  F${index}: { Type: 'AWS::Serverless::Function' }\n`,
    ).join('');
    const before = performance.now();
    const read = readTemplate(`${globals}Resources:\n${functions}`, 'template.yaml');
    assert.equal(read.kind, 'template');
    // Milliseconds, which were a minute when each end was searched for from each beginning.
    assert.ok(performance.now() - before < 10_000);
  });
});
