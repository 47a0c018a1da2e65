import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { base64Digest } from '../code/code-files.ts';
import { zipOf } from '../code/testing/zip-of.ts';
import { assertRefused, violations } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;

/** What lists do not contain. */
const unlisted = [
  'State',
  'StateReason',
  'StateReasonCode',
  'LastUpdateStatus',
  'LastUpdateStatusReason',
  'LastUpdateStatusReasonCode',
  'RuntimeVersionConfig',
];

describe('versions', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const publish = async (FunctionName: string, given: Input = {}) => {
    const answer = await functions.call('PublishVersion', { FunctionName, ...given });
    await functions.untilProvisioned();
    return answer;
  };
  const update = async (FunctionName: string, given: Input) => {
    await functions.call('UpdateFunctionConfiguration', { FunctionName, ...given });
    await functions.untilProvisioned();
  };
  const read = async (FunctionName: string, Qualifier = '$LATEST') =>
    (await functions.call('GetFunctionConfiguration', { FunctionName, Qualifier })).body;

  it('are not published of other code, or of another revision', async () => {
    const { body } = await functions.create('checked');
    const CodeSha256 = base64Digest('00'.repeat(32));
    assertRefused(
      await publish('checked', { CodeSha256 }),
      'InvalidParameterValueException',
      `CodeSHA256 (${CodeSha256}) is different from current CodeSHA256 in $LATEST (${body.CodeSha256}). Please try again with the CodeSHA256 in $LATEST.`,
    );
    assertRefused(
      await publish('checked', { RevisionId: 'wrong' }),
      'PreconditionFailedException',
      'The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id',
    );
    assertRefused(
      await publish('doesnotexist'),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('doesnotexist')}`,
    );
    assertRefused(
      await functions.call('ListFunctions', { FunctionVersion: 'SOME' }),
      'ValidationException',
      violations(
        "Value 'SOME' at 'functionVersion' failed to satisfy constraint: Member must satisfy enum value set: [ALL]",
      ),
    );
  });

  it('are made of what changed, and never of the same twice', async () => {
    await functions.create('lived', { Description: 'No version :(' });
    await update('lived', { Description: 'First version :)' });
    const earlier = await read('lived');
    const first = await publish('lived', { Description: 'First version description :)' });
    assert.equal(first.status, 201);
    assert.deepEqual(
      [
        first.body.Version,
        first.body.FunctionArn,
        first.body.Description,
        first.body.State,
        first.body.LastUpdateStatus,
      ],
      ['1', arnOf('lived:1'), 'First version description :)', 'Active', 'Successful'],
    );
    const now = await read('lived');
    assert.equal(new Set([earlier.RevisionId, now.RevisionId, first.body.RevisionId]).size, 3);
    await update('lived', { Description: 'Second version :))', Timeout: 9 });
    assert.deepEqual(await read('lived', '1'), first.body);
    const second = await publish('lived');
    assert.deepEqual([second.body.Version, second.body.Description], ['2', 'Second version :))']);
    const again = await publish('lived', { Description: 'Third version description :)))' });
    assert.deepEqual(again.body, second.body);
    assert.equal((await read('lived')).RevisionId, (await read('lived')).RevisionId);
  });

  it('are made of a changed description as well, whatever the description of the version before', async () => {
    await functions.create('reported', { Description: 'one' });
    assert.equal((await publish('reported', { Description: 'own args' })).body.Version, '1');
    assert.equal((await publish('reported')).body.Version, '1');
    await update('reported', { Description: 'two' });
    const { body } = await publish('reported');
    assert.deepEqual([body.Version, body.Description], ['2', 'two']);
    await update('reported', { Description: 'two' });
    assert.equal((await publish('reported', { Description: 'other args' })).body.Version, '2');
  });

  it('have numbers that are never used again', async () => {
    await functions.create('numbered', { Publish: true });
    await functions.call('DeleteFunction', { FunctionName: 'numbered', Qualifier: '1' });
    assert.equal((await publish('numbered')).body.Version, '2');
  });

  it('are never the unpublished one by the number 0, which nothing has', async () => {
    await functions.create('whole', { Publish: true });
    for (const Qualifier of ['0', '00']) {
      await functions.call('DeleteFunction', { FunctionName: 'whole', Qualifier });
      assert.equal((await functions.call('GetFunction', { FunctionName: 'whole' })).status, 200);
      for (const operation of ['GetFunction', 'Invoke'] as const) {
        const { status } = await functions.call(operation, { FunctionName: 'whole', Qualifier });
        assert.equal(status, 404, `${operation} of ${Qualifier}`);
      }
    }
    const stays = '$LATEST version cannot be deleted without deleting the function.';
    for (const Qualifier of ['$LATEST', '$LATEST.PUBLISHED']) {
      for (const given of [
        { FunctionName: 'whole', Qualifier },
        { FunctionName: `whole:${Qualifier}` },
      ]) {
        const { status, body } = await functions.call('DeleteFunction', given);
        assert.deepEqual([status, body.Message ?? body.message], [400, stays]);
      }
    }
    for (const Qualifier of ['$LATESTX', '$LATEST$']) {
      const given = { FunctionName: 'whole', Qualifier };
      for (const operation of ['GetFunctionConfiguration', 'Invoke'] as const)
        assert.equal((await functions.call(operation, given)).status, 404, Qualifier);
      await functions.call('DeleteFunction', given);
    }
    assert.equal((await functions.call('GetFunction', { FunctionName: 'whole' })).status, 200);
    // What is not there is deleted as what was.
    const gone = { FunctionName: 'whole', Qualifier: '9'.repeat(30) };
    assert.equal((await functions.call('DeleteFunction', gone)).status, 204);
  });

  it('are listed after the unpublished one, without how they stand', async () => {
    await functions.create('listed', { Publish: true });
    await update('listed', { Timeout: 9 });
    await publish('listed');
    const { body } = await functions.call('ListVersionsByFunction', { FunctionName: 'listed' });
    assert.deepEqual(
      body.Versions.map(({ FunctionArn }: { FunctionArn: string }) => FunctionArn),
      [arnOf('listed:$LATEST'), arnOf('listed:1'), arnOf('listed:2')],
    );
    const record = await read('listed', '1');
    for (const name of unlisted) delete record[name];
    assert.deepEqual(body.Versions[1], record);
    const page = await functions.call('ListVersionsByFunction', {
      FunctionName: 'listed',
      MaxItems: 2,
    });
    const rest = await functions.call('ListVersionsByFunction', {
      FunctionName: 'listed',
      Marker: page.body.NextMarker,
    });
    assert.equal(rest.body.Versions[0].Version, '2');
    assert.ok(!('NextMarker' in rest.body));
  });

  it('are listed with all functions where that is asked for', async () => {
    await functions.create('zz-last', { Publish: true });
    const arns = async (given: Input): Promise<string[]> => {
      const { body } = await functions.call('ListFunctions', given);
      return body.Functions.map(({ FunctionArn }: { FunctionArn: string }) => FunctionArn);
    };
    assert.equal((await arns({})).at(-1), arnOf('zz-last'));
    assert.deepEqual((await arns({ FunctionVersion: 'ALL' })).slice(-2), [
      arnOf('zz-last:$LATEST'),
      arnOf('zz-last:1'),
    ]);
  });

  it('are the answer to new code that is published at once, and do not keep it from ending', async () => {
    await functions.create('coded');
    const releaseStarts = functions.environments.holdStarts();
    const { body } = await functions.call('UpdateFunctionCode', {
      FunctionName: 'coded',
      ZipFile: zipOf({ 'index.mjs': 'export const handler = async () => 2' }),
      Publish: true,
    });
    assert.deepEqual(
      [body.Version, body.FunctionArn, body.State, body.StateReasonCode],
      ['1', arnOf('coded:1'), 'Pending', 'Creating'],
    );
    assert.ok(!('LastUpdateStatus' in body));
    releaseStarts();
    await functions.untilProvisioned();
    assert.equal((await read('coded')).LastUpdateStatus, 'Successful');
    assert.equal((await read('coded', '1')).State, 'Active');
  });
});
