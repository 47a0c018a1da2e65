import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { tagResource } from '#functions-contract/operations/tags.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

const region = 'arn:aws:lambda:us-east-1:123456789012';

describe('tags', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('fn');
  });
  after(() => functions.close());

  const tag = (Tags: Readonly<Record<string, string>>, Resource = arnOf('fn')) =>
    functions.call('TagResource', { Resource, Tags });
  const untag = (TagKeys: readonly string[], Resource = arnOf('fn')) =>
    functions.call('UntagResource', { Resource, TagKeys });
  const list = (Resource = arnOf('fn')) => functions.call('ListTags', { Resource });
  const every = [
    (arn: string) => tag({ A: 'a' }, arn),
    (arn: string) => untag(['A'], arn),
    (arn: string) => list(arn),
  ];

  it('are refused for what is no ARN of theirs', async () => {
    const mapping = `${region}:event-source-mapping:00000000-0000-0000-0000-000000000000`;
    const capacity = `${region}:capacity-provider:large`;
    for (const arn of [
      'arn:aws:something',
      `${region}:foobar:fn`,
      `${mapping}:alias`,
      `${capacity}:alias`,
    ]) {
      for (const call of every) {
        assertRefused(
          await call(arn),
          'ValidationException',
          violations(
            `Value '${arn}' at 'resource' failed to satisfy constraint: Member must satisfy regular expression pattern: ${tagResource.input.members.Resource.shape.pattern}`,
          ),
        );
      }
    }
    for (const call of every) {
      assertRefused(
        await call(arnOf('doesnotexist')),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('doesnotexist')}`,
      );
      assertRefused(
        await call(mapping),
        'ResourceNotFoundException',
        `Event source mapping not found: ${mapping}`,
      );
      assertRefused(
        await call(capacity),
        'ResourceNotFoundException',
        `Capacity provider not found: ${capacity}`,
      );
      for (const qualifier of ['1', 'live', '$LATEST']) {
        assertRefused(
          await call(arnOf(`fn:${qualifier}`)),
          'InvalidParameterValueException',
          'Tags on function aliases and versions are not supported. Please specify a function ARN.',
        );
      }
    }
  });

  it('are refused when none are named, too many or too long', async () => {
    assertRefused(
      await untag([]),
      'ValidationException',
      violations("Value null at 'tagKeys' failed to satisfy constraint: Member must not be null"),
    );
    assertRefused(
      await tag({}),
      'InvalidParameterValueException',
      'An error occurred and the request cannot be processed.',
    );
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
    assertRefused(
      await tag(many),
      'InvalidParameterValueException',
      'Number of tags exceeds resource tag limit.',
    );
    assertRefused(
      await functions.call('CreateFunction', {
        FunctionName: 'tagged',
        Role: testRole,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Code: { ZipFile: testZip },
        Tags: many,
      }),
      'InvalidParameterValueException',
      'Number of tags exceeds resource tag limit.',
    );
    const lengths = 'Tag keys must have 1 to 128 characters, and tag values at most 256.';
    for (const long of [{ ['k'.repeat(129)]: '' }, { k: 'v'.repeat(257) }, { '': '' }]) {
      assertRefused(await tag(long), 'InvalidParameterValueException', lengths);
    }
    assert.deepEqual((await list()).body, { Tags: {} });
  });

  it('are added, changed and removed', async () => {
    await functions.create('lived');
    const arn = arnOf('lived');
    assert.equal((await tag({ A: 'tag-a' }, arn)).status, 204);
    const longest = 'l'.repeat(128);
    assert.equal((await tag({ [longest]: 'l'.repeat(256) }, arn)).status, 204);
    assert.equal((await untag([longest], arn)).status, 204);
    await tag({ B: 'tag-b', C: 'tag-c' }, arn);
    await tag({ C: 'new', D: 'tag-d' }, arn);
    assert.deepEqual((await list(arn)).body.Tags, {
      A: 'tag-a',
      B: 'tag-b',
      C: 'new',
      D: 'tag-d',
    });
    const read = await functions.call('GetFunction', { FunctionName: 'lived' });
    assert.equal(read.body.Tags.C, 'new');
    assert.equal((await untag(['A'], arn)).status, 204);
    assert.equal((await untag(['B', 'C', 'F'], arn)).status, 204);
    assert.deepEqual((await list(arn)).body.Tags, { D: 'tag-d' });
    await untag(['D'], arn);
    const untagged = await functions.call('GetFunction', { FunctionName: 'lived' });
    assert.ok(!('Tags' in untagged.body));
  });
});
