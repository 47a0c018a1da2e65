import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { layerNameOf, layerVersionArn, readLayerVersionArn } from './layer.ts';

const accountRegion = { region: 'eu-west-1', accountId: '123456789012' };

describe('a layer', () => {
  it('is not read from what does not name one version', () => {
    for (const arn of [
      '',
      'name:1',
      'arn:aws:lambda:eu-west-1:123456789012:layer:name',
      'arn:aws:lambda:eu-west-1:123456789012:function:name:1',
      'arn:aws:lambda:eu-west-1:123456789012:layer:../name:1',
      'arn:aws:lambda:eu-west-1:123456789012:layer:name:1\n',
      'arn:aws:lambda:eu-west-1:123456789012:layer:name:99999999999999999999',
    ]) {
      assert.equal(readLayerVersionArn(arn), undefined, arn);
    }
  });

  it('is read from its own ARN', () => {
    const arn = layerVersionArn(accountRegion, 'my-layer', 12);
    assert.equal(arn, 'arn:aws:lambda:eu-west-1:123456789012:layer:my-layer:12');
    assert.deepEqual(readLayerVersionArn(arn), { ...accountRegion, name: 'my-layer', version: 12 });
  });

  it('is named by its name or its ARN', () => {
    assert.equal(layerNameOf('my-layer'), 'my-layer');
    assert.equal(layerNameOf('arn:aws:lambda:eu-west-1:123456789012:layer:my-layer'), 'my-layer');
  });
});
