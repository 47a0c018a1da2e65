import assert from 'node:assert/strict';
import { test } from 'node:test';

import { functionConfiguration } from './function-configuration.ts';

test('clients print the members of a network in the order of AWS', () => {
  assert.deepEqual(Object.keys(functionConfiguration.members.VpcConfig.shape.members), [
    'SubnetIds',
    'SecurityGroupIds',
    'VpcId',
    'Ipv6AllowedForDualStack',
  ]);
});
