import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
} from '../testing/test-functions.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:q';
const none = { OnSuccess: {}, OnFailure: {} };

describe('the configuration of asynchronous events', () => {
  let service: TestFunctions;
  beforeEach(async () => {
    service = await createTestFunctions({
      configured: { targets: new Map([[queue, { kind: 'folder', folder: '/nowhere' }]]) },
    });
    await service.create('f');
  });
  afterEach(() => service.close());

  const call = (verb: string, given: object = {}): Promise<TestResponse> =>
    service.call(`${verb}FunctionEventInvokeConfig`, { FunctionName: 'f', ...given });

  it('is not put for what is not there', async () => {
    for (const given of [{ FunctionName: 'g' }, { Qualifier: '1' }, { Qualifier: 'alias' }]) {
      for (const verb of ['Put', 'Update']) {
        assertRefused(
          await call(verb, { MaximumRetryAttempts: 1, ...given }),
          'ResourceNotFoundException',
          "The function doesn't exist.",
        );
      }
    }
  });

  it('must say something within its bounds', async () => {
    assertRefused(
      await call('Put'),
      'InvalidParameterValueException',
      'You must specify at least one of error handling or destination setting.',
    );
    assertRefused(
      await call('Put', { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 59 }),
      'ValidationException',
      violations(
        "Value '3' at 'maximumRetryAttempts' failed to satisfy constraint: Member must have value less than or equal to 2",
        "Value '59' at 'maximumEventAgeInSeconds' failed to satisfy constraint: Member must have value greater than or equal to 60",
      ),
    );
  });

  const refusals: readonly [string, string, string][] = [
    [arnOf('g'), 'InvalidParameterValueException', `The destination ARN ${arnOf('g')} is invalid.`],
    ...[`${arnOf('f')}:a:b`, arnOf('$x')].map((arn): [string, string, string] => [
      arn,
      'InvalidParameterValueException',
      `The destination ARN ${arn} is invalid.`,
    ]),
    [
      arnOf('f'),
      'InvalidParameterValueException',
      "You can't specify the function as a destination for itself.",
    ],
    [
      `${queue}2`,
      'InvalidParameterValueException',
      `The destination ARN ${queue}2 is invalid. To declare it, run: hob admin add-resource target ${queue}2 --file FILE`,
    ],
    [
      `${queue} $(id)`,
      'InvalidParameterValueException',
      `The destination ARN ${queue} $(id) is invalid. To declare it, run: hob admin add-resource target NAME --file FILE`,
    ],
    [
      'arn:aws:iam:us-east-1:123456789012:function:f',
      'InvalidParameterValueException',
      'The provided destination config DestinationConfig(onSuccess=OnSuccess(destination=arn:aws:iam:us-east-1:123456789012:function:f), onFailure=null) is invalid.',
    ],
  ];
  for (const [Destination, code, message] of refusals) {
    it(`does not take ${Destination} for a destination`, async () => {
      assert.equal(code, 'InvalidParameterValueException');
      assertRefused(
        await call('Put', { DestinationConfig: { OnSuccess: { Destination } } }),
        'InvalidParameterValueException',
        message,
      );
    });
  }

  it('does not take a destination that is no ARN', async () => {
    const Destination = 'arn:aws:_-/!lambda:us-east-1:123456789012:function:f';
    assertRefused(
      await call('Put', { DestinationConfig: { OnFailure: { Destination } } }),
      'ValidationException',
      violations(
        String.raw`Value '${Destination}' at 'destinationConfig.onFailure.destination' failed to satisfy constraint: Member must satisfy regular expression pattern: $|kafka://([^.]([a-zA-Z0-9\-_.]{0,248}))|arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1})?:(\d{12})?:(.*)`,
      ),
    );
  });

  it('cannot be read, changed or deleted before it was put', async () => {
    for (const verb of ['Get', 'Delete', 'Update']) {
      assertRefused(
        await call(verb, { MaximumRetryAttempts: 1 }),
        'ResourceNotFoundException',
        `The function ${arnOf('f')}:$LATEST doesn't have an EventInvokeConfig`,
      );
    }
    for (const verb of ['Get', 'Delete']) {
      assertRefused(
        await call(verb, { FunctionName: 'g', Qualifier: '12' }),
        'ResourceNotFoundException',
        `The function ${arnOf('g')}:12 doesn't have an EventInvokeConfig`,
      );
    }
    assertRefused(
      await service.call('ListFunctionEventInvokeConfigs', { FunctionName: 'g' }),
      'ResourceNotFoundException',
      "The function doesn't exist.",
    );
  });

  it('is replaced by a put and added to by an update', async () => {
    const LastModified = Date.parse('2026-01-02T03:04:05.678Z') / 1000;
    const FunctionArn = `${arnOf('f')}:$LATEST`;
    const put = await call('Put', { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 });
    assert.deepEqual(put.body, {
      LastModified,
      FunctionArn,
      MaximumRetryAttempts: 2,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: none,
    });
    const OnFailure = { Destination: queue };
    const updated = await call('Update', {
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure },
    });
    assert.deepEqual(updated.body, {
      LastModified,
      FunctionArn,
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnSuccess: {}, OnFailure },
    });
    assert.deepEqual((await call('Get')).body, updated.body);
    const again = await call('Put', { DestinationConfig: { OnSuccess: {} } });
    assert.deepEqual(again.body, { LastModified, FunctionArn, DestinationConfig: none });
  });

  it('is its own for each version', async () => {
    await service.call('PublishVersion', { FunctionName: 'f' });
    await call('Put', { MaximumRetryAttempts: 1 });
    const ofVersion = await call('Put', { FunctionName: 'f:1', MaximumEventAgeInSeconds: 120 });
    assert.equal(ofVersion.body.FunctionArn, `${arnOf('f')}:1`);
    const list = await service.call('ListFunctionEventInvokeConfigs', { FunctionName: 'f' });
    assert.deepEqual(
      list.body.FunctionEventInvokeConfigs.map(
        ({ FunctionArn }: { FunctionArn: string }) => FunctionArn,
      ),
      [`${arnOf('f')}:$LATEST`, `${arnOf('f')}:1`],
    );
    const page = await service.call('ListFunctionEventInvokeConfigs', {
      FunctionName: 'f',
      MaxItems: 1,
    });
    const next = await service.call('ListFunctionEventInvokeConfigs', {
      FunctionName: 'f',
      MaxItems: 1,
      Marker: page.body.NextMarker,
    });
    assert.deepEqual(next.body.FunctionEventInvokeConfigs, [ofVersion.body]);
    assert.equal((await call('Delete')).status, 204);
    assert.equal((await call('Get')).status, 404);
  });
});
