import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { ErrorCode } from '#functions-contract/error-names.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import { fillPolicy } from './testing/fill-policy.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

const s3 = {
  StatementId: 's3',
  Action: 'lambda:InvokeFunction',
  Principal: 's3.amazonaws.com',
  SourceArn: 'arn:aws:s3:::bucket',
} as const;

const s3Statement = (resource: string, Sid = 's3') => ({
  Sid,
  Effect: 'Allow',
  Principal: { Service: 's3.amazonaws.com' },
  Action: 'lambda:InvokeFunction',
  Resource: resource,
  Condition: { ArnLike: { 'AWS:SourceArn': 'arn:aws:s3:::bucket' } },
});

describe('permissions', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('fn', { Publish: true });
    await functions.create('bare');
  });
  after(() => functions.close());

  const add = (given: Input) =>
    functions.call('AddPermission', { FunctionName: 'fn', ...s3, ...given });
  const policy = (given: Input) => functions.call('GetPolicy', { FunctionName: 'fn', ...given });
  const remove = (given: Input) =>
    functions.call('RemovePermission', { FunctionName: 'fn', StatementId: 's3', ...given });

  const refusals: readonly (readonly [string, Input, ErrorCode, string])[] = [
    [
      'a name of no form',
      { StatementId: 'example.com' },
      'ValidationException',
      violations(
        "Value 'example.com' at 'statementId' failed to satisfy constraint: Member must satisfy regular expression pattern: ([a-zA-Z0-9-_]+)",
      ),
    ],
    [
      'two qualifiers',
      { FunctionName: 'fn:alias-not-42', Qualifier: '42' },
      'InvalidParameterValueException',
      'The derived qualifier from the function name does not match the specified qualifier.',
    ],
    [
      'the unpublished version',
      { Qualifier: '$LATEST' },
      'InvalidParameterValueException',
      'We currently do not support adding policies for $LATEST.',
    ],
    [
      'a principal of no kind',
      { Principal: 'invalid.nonaws.com' },
      'InvalidParameterValueException',
      'The provided principal was invalid. Please check the principal and try again.',
    ],
    [
      'a function that is not there',
      { FunctionName: 'doesnotexist' },
      'ResourceNotFoundException',
      `Function not found: ${arnOf('doesnotexist')}`,
    ],
    [
      'an alias that is not there',
      { Qualifier: 'alias-doesnotexist' },
      'ResourceNotFoundException',
      `Cannot find alias arn: ${arnOf('fn:alias-doesnotexist')}`,
    ],
    [
      'a version that is not there',
      { Qualifier: '42' },
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:42')}`,
    ],
    [
      'a qualifier of no form',
      { Qualifier: 'invalid-qualifier-with-?-char' },
      'ValidationException',
      violations(
        String.raw`Value 'invalid-qualifier-with-?-char' at 'qualifier' failed to satisfy constraint: Member must satisfy regular expression pattern: \$(LATEST(\.PUBLISHED)?)|[a-zA-Z0-9-_$]+`,
      ),
    ],
    [
      'a qualifier that nothing has',
      { Qualifier: 'valid-with-$-but-doesnotexist' },
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:valid-with-$-but-doesnotexist')}`,
    ],
    [
      'another revision',
      { RevisionId: 'wrong' },
      'PreconditionFailedException',
      'The Revision Id provided does not match the latest Revision Id. Call the GetPolicy API to retrieve the latest Revision Id',
    ],
  ];

  for (const [name, given, code, message] of refusals) {
    it(`report ${name}`, async () => {
      assertRefused(await add(given), code, message);
    });
  }

  it('report a policy that is not there', async () => {
    for (const given of [
      { FunctionName: 'doesnotexist' },
      { FunctionName: 'bare' },
      { Qualifier: '42' },
    ]) {
      assertRefused(
        await policy(given),
        'ResourceNotFoundException',
        'The resource you requested does not exist.',
      );
    }
    assertRefused(
      await remove({ FunctionName: 'bare' }),
      'ResourceNotFoundException',
      'No policy is associated with the given resource.',
    );
    assertRefused(
      await remove({ FunctionName: 'doesnotexist' }),
      'ResourceNotFoundException',
      `No policy found for: ${arnOf('doesnotexist')}`,
    );
    assertRefused(
      await remove({ Qualifier: 'alias-doesnotexist' }),
      'ResourceNotFoundException',
      `Cannot find alias arn: ${arnOf('fn:alias-doesnotexist')}`,
    );
  });

  it('are added, listed in order, and removed', async () => {
    await functions.create('retained');
    const name = { FunctionName: 'retained' };
    const added = await add(name);
    assert.equal(added.status, 201);
    assert.equal(added.body.Statement, JSON.stringify(s3Statement(arnOf('retained'))));
    assertRefused(
      await add(name),
      'ResourceConflictException',
      'The statement id (s3) provided already exists. Please provide a new statement id, or remove the existing statement.',
    );
    await add({ ...name, StatementId: 'sqs' });
    const { body } = await policy(name);
    assert.deepEqual(JSON.parse(body.Policy), {
      Version: '2012-10-17',
      Id: 'default',
      Statement: [s3Statement(arnOf('retained')), s3Statement(arnOf('retained'), 'sqs')],
    });
    assertRefused(
      await remove({ ...name, StatementId: 'non-existent' }),
      'ResourceNotFoundException',
      'Statement non-existent is not found in resource policy.',
    );
    assertRefused(
      await remove({ ...name, RevisionId: 'wrong' }),
      'PreconditionFailedException',
      /GetPolicy/,
    );
    const removed = await remove({ ...name, StatementId: 'sqs', RevisionId: body.RevisionId });
    assert.equal(removed.status, 204);
    assert.notEqual((await policy(name)).body.RevisionId, body.RevisionId);
    await remove(name);
    assert.equal((await policy(name)).status, 404);
  });

  it('belong to a function, a version or an alias, whose revision they change', async () => {
    await functions.create('apart', { Publish: true });
    const alias = await functions.call('CreateAlias', {
      FunctionName: 'apart',
      Name: 'live',
      FunctionVersion: '1',
    });
    const read = (Qualifier: string) =>
      functions.call('GetFunctionConfiguration', { FunctionName: 'apart', Qualifier });
    const earlier = await read('1');
    await add({ FunctionName: 'apart', Qualifier: '1' });
    assert.equal((await policy({ FunctionName: 'apart' })).status, 404);
    const ofVersion = await policy({ FunctionName: 'apart:1' });
    assert.equal(JSON.parse(ofVersion.body.Policy).Statement[0].Resource, arnOf('apart:1'));
    assert.notEqual(ofVersion.body.RevisionId, earlier.body.RevisionId);
    assert.equal((await read('1')).body.RevisionId, ofVersion.body.RevisionId);
    await add({
      FunctionName: 'apart',
      Qualifier: 'live',
      RevisionId: alias.body.RevisionId,
    });
    const ofAlias = await policy({ FunctionName: 'apart', Qualifier: 'live' });
    const now = await functions.call('GetAlias', { FunctionName: 'apart', Name: 'live' });
    assert.equal(now.body.RevisionId, ofAlias.body.RevisionId);
    assert.notEqual(now.body.RevisionId, alias.body.RevisionId);
  });

  const shown: readonly (readonly [string, Input, Input])[] = [
    [
      'an account by its root',
      { Principal: '123456789012', SourceArn: undefined },
      { Principal: { AWS: 'arn:aws:iam::123456789012:root' } },
    ],
    [
      'everybody by a star, for one kind of URL',
      { Principal: '*', SourceArn: undefined, FunctionUrlAuthType: 'NONE' },
      {
        Principal: '*',
        Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'NONE' } },
      },
    ],
    [
      'the account and organization of a source',
      {
        SourceArn: undefined,
        SourceAccount: '123456789012',
        PrincipalOrgID: 'o-1234567890',
        EventSourceToken: 'token',
      },
      {
        Condition: {
          StringEquals: {
            'AWS:SourceAccount': '123456789012',
            'aws:PrincipalOrgID': 'o-1234567890',
            'lambda:EventSourceToken': 'token',
          },
        },
      },
    ],
  ];

  for (const [index, [name, given, members]] of shown.entries()) {
    it(`show ${name}`, async () => {
      const { body } = await add({ StatementId: `shown-${index}`, ...given });
      const statement = JSON.parse(body.Statement);
      for (const [member, value] of Object.entries(members)) {
        assert.deepEqual(statement[member], value);
      }
    });
  }

  it('are limited in size', async () => {
    const full = await fillPolicy((StatementId) =>
      functions.call('AddPermission', { FunctionName: 'bare', ...s3, StatementId }),
    );
    const { body } = await functions.call('GetPolicy', { FunctionName: 'bare' });
    const size = body.Policy.length + full.statementLength + ','.length;
    assert.ok(body.Policy.length <= 20_480 && size > 20_480, `${body.Policy.length} ${size}`);
    assertRefused(
      full.answer,
      'PolicyLengthExceededException',
      `The final policy size (${size}) is bigger than the limit (20480).`,
    );
  });

  it('do not keep an update from ending', async () => {
    await functions.create('busy');
    const releaseStarts = functions.environments.holdStarts();
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'busy', Timeout: 5 });
    await add({ FunctionName: 'busy' });
    releaseStarts();
    await functions.untilProvisioned();
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'busy' });
    assert.equal(body.LastUpdateStatus, 'Successful');
  });
});
