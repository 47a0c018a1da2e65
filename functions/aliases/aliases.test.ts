import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { ErrorCode } from '#functions-contract/error-names.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

const weights = (given: Readonly<Record<string, number>>) => ({
  RoutingConfig: { AdditionalVersionWeights: given },
});

describe('aliases', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('fn', { Publish: true });
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', Timeout: 9 });
    await functions.untilProvisioned();
    await functions.call('PublishVersion', { FunctionName: 'fn' });
    await functions.untilProvisioned();
  });
  after(() => functions.close());

  const create = (given: Input) =>
    functions.call('CreateAlias', {
      FunctionName: 'fn',
      Name: 'custom',
      FunctionVersion: '1',
      ...given,
    });

  const bounds =
    'Member must have value less than or equal to 1.0, Member must have value greater than or equal to 0.0, Member must not be null';
  const refusals: readonly (readonly [string, Input, ErrorCode, string])[] = [
    [
      'two versions next to the first',
      weights({ 1: 0.5, 2: 0.5 }),
      'InvalidParameterValueException',
      'Number of items in AdditionalVersionWeights cannot be greater than 1',
    ],
    [
      'a weight over one',
      weights({ 2: 2 }),
      'ValidationException',
      violations(
        `Value '{2=2.0}' at 'routingConfig.additionalVersionWeights' failed to satisfy constraint: Map value must satisfy constraint: [${bounds}]`,
      ),
    ],
    [
      'a weight under zero',
      weights({ 2: -1 }),
      'ValidationException',
      violations(
        `Value '{2=-1.0}' at 'routingConfig.additionalVersionWeights' failed to satisfy constraint: Map value must satisfy constraint: [${bounds}]`,
      ),
    ],
    [
      'the same version twice',
      weights({ 1: 0.5 }),
      'InvalidParameterValueException',
      'Invalid function version 1. Function version 1 is already included in routing configuration.',
    ],
    [
      'a version that is not there',
      { FunctionVersion: '10' },
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:10')}`,
    ],
    [
      'a second version that is not there',
      weights({ 10: 0.5 }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:10')}`,
    ],
    [
      'a version that is never there',
      { FunctionVersion: '0' },
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:0')}`,
    ],
    [
      'a second version that is never there',
      weights({ 0: 0.5 }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:0')}`,
    ],
    [
      'a share for the unpublished version',
      weights({ $LATEST: 0.5 }),
      'ValidationException',
      violations(
        "Value '{$LATEST=0.5}' at 'routingConfig.additionalVersionWeights' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 1024, Member must have length greater than or equal to 1, Member must satisfy regular expression pattern: [0-9]+]",
      ),
    ],
    [
      'a function that is not there',
      { FunctionName: 'fn-unknown' },
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn-unknown:1')}`,
    ],
    [
      'a name that is a number',
      { Name: '2024' },
      'ValidationException',
      violations(
        "Value '2024' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)",
      ),
    ],
  ];

  for (const [name, given, code, message] of refusals) {
    it(`report ${name}`, async () => {
      assertRefused(await create(given), code, message);
    });
  }

  it('cannot share out what is not published', async () => {
    assertRefused(
      await create({ FunctionVersion: '$LATEST', ...weights({ 1: 0.5 }) }),
      'InvalidParameterValueException',
      '$LATEST is not supported for an alias pointing to more than 1 version',
      'without-type',
    );
    const whole = await create({ Name: 'custom-latest', FunctionVersion: '$LATEST' });
    assert.equal(whole.body.FunctionVersion, '$LATEST');
  });

  it('that do not exist are reported in three ways, and can be deleted', async () => {
    const given = { FunctionName: 'fn', Name: 'non-existent' };
    assertRefused(
      await functions.call('GetAlias', given),
      'ResourceNotFoundException',
      `Cannot find alias arn: ${arnOf('fn:non-existent')}`,
    );
    assertRefused(
      await functions.call('UpdateAlias', given),
      'ResourceNotFoundException',
      `Alias not found: ${arnOf('fn:non-existent')}`,
    );
    assertRefused(
      await functions.call('Invoke', { FunctionName: 'fn', Qualifier: 'non-existent' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('fn:non-existent')}`,
    );
    const deleted = await functions.call('DeleteAlias', given);
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
  });

  it('are made once, read, changed by revision and deleted', async () => {
    const name = { FunctionName: 'fn', Name: 'life' };
    const made = await create({ Name: 'life', ...weights({ 2: 0.5 }) });
    assert.equal(made.status, 201);
    const { RevisionId, ...rest } = made.body;
    assert.deepEqual(rest, {
      AliasArn: arnOf('fn:life'),
      Name: 'life',
      FunctionVersion: '1',
      Description: '',
      ...weights({ 2: 0.5 }),
    });
    assertRefused(
      await create({ Name: 'life' }),
      'ResourceConflictException',
      `Alias already exists: ${arnOf('fn:life')}`,
    );
    assert.deepEqual((await functions.call('GetAlias', name)).body, made.body);
    assertRefused(
      await functions.call('UpdateAlias', { ...name, RevisionId: 'wrong' }),
      'PreconditionFailedException',
      'The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id',
    );
    const changed = await functions.call('UpdateAlias', {
      ...name,
      RevisionId,
      Description: 'something changed',
    });
    assert.equal(changed.body.Description, 'something changed');
    assert.deepEqual(changed.body.RoutingConfig, made.body.RoutingConfig);
    assert.notEqual(changed.body.RevisionId, RevisionId);
    const emptied = await functions.call('UpdateAlias', { ...name, RoutingConfig: {} });
    assert.ok(!('RoutingConfig' in emptied.body));
    assert.equal((await functions.call('DeleteAlias', name)).status, 204);
    assert.equal((await functions.call('GetAlias', name)).status, 404);
  });

  it('with an empty routing have none', async () => {
    const { body } = await create({ Name: 'empty-routing', RoutingConfig: {} });
    assert.ok(!('RoutingConfig' in body));
  });

  it('do not change the revision of their function', async () => {
    const read = () => functions.call('GetFunctionConfiguration', { FunctionName: 'fn' });
    const { body } = await read();
    await create({ Name: 'quiet' });
    assert.equal((await read()).body.RevisionId, body.RevisionId);
  });

  it('lead reads to their version, and show in its ARN', async () => {
    await create({ Name: 'reader', FunctionVersion: '2' });
    const { body } = await functions.call('GetFunction', {
      FunctionName: 'fn',
      Qualifier: 'reader',
    });
    assert.equal(body.Configuration.Version, '2');
    assert.equal(body.Configuration.FunctionArn, arnOf('fn:reader'));
  });

  it('are listed page by page, and by version', async () => {
    await functions.create('many', { Publish: true });
    for (const Name of ['a', 'b', 'c']) await create({ FunctionName: 'many', Name });
    await create({ FunctionName: 'many', Name: 'd', FunctionVersion: '$LATEST' });
    const names: string[] = [];
    let Marker: string | undefined;
    do {
      const { body } = await functions.call('ListAliases', {
        FunctionName: 'many',
        MaxItems: 3,
        ...(Marker === undefined ? {} : { Marker }),
      });
      for (const { Name } of body.Aliases) names.push(Name);
      Marker = body.NextMarker;
    } while (Marker !== undefined);
    assert.deepEqual(names, ['a', 'b', 'c', 'd']);
    const ofVersion = await functions.call('ListAliases', {
      FunctionName: 'many',
      FunctionVersion: '$LATEST',
    });
    assert.deepEqual(
      ofVersion.body.Aliases.map(({ Name }: { Name: string }) => Name),
      ['d'],
    );
    for (const FunctionVersion of ['3000000000', '99999999999999999999']) {
      const { body } = await functions.call('ListAliases', {
        FunctionName: 'many',
        FunctionVersion,
      });
      assert.deepEqual(body.Aliases, [], FunctionVersion);
    }
    assertRefused(
      await functions.call('ListAliases', { FunctionName: 'unknown' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('unknown')}`,
    );
    assertRefused(
      await functions.call('ListAliases', { FunctionName: 'many', Marker: 'not ours' }),
      'InvalidParameterValueException',
      /marker/,
    );
  });

  it('send invocations where they point, and share them out', async () => {
    await create({ Name: 'moving' });
    const invoke = () => functions.call('Invoke', { FunctionName: 'fn', Qualifier: 'moving' });
    assert.equal((await invoke()).headers['x-amz-executed-version'], '1');
    const name = { FunctionName: 'fn', Name: 'moving' };
    await functions.call('UpdateAlias', { ...name, FunctionVersion: '2' });
    assert.equal((await invoke()).headers['x-amz-executed-version'], '2');
    assert.equal(functions.environments.invoked.at(-1)?.event.functionArn, arnOf('fn:moving'));
    await functions.call('UpdateAlias', { ...name, ...weights({ 1: 0.5 }) });
    const ran = await Promise.all(Array.from({ length: 60 }, invoke));
    const versions = new Set(ran.map(({ headers }) => headers['x-amz-executed-version']));
    assert.deepEqual([...versions].toSorted(), ['1', '2']);
  });

  it('hold the versions that they point to', async () => {
    await functions.create('held', { Publish: true });
    await create({ FunctionName: 'held', Name: 'live' });
    const version = { FunctionName: 'held', Qualifier: '1' };
    assertRefused(
      await functions.call('DeleteFunction', version),
      'ResourceConflictException',
      'Version 1 cannot be deleted: alias live points to it. Update or delete the alias first.',
    );
    await functions.call('DeleteAlias', { FunctionName: 'held', Name: 'live' });
    assert.equal((await functions.call('DeleteFunction', version)).status, 204);
  });
});
