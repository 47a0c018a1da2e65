import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Configuration } from '../configuration/configuration.ts';
import {
  type AccessPoint,
  type CapacityProvider,
  noConfiguredResources,
  type SecurityGroup,
  type Subnet,
} from '../configured-resources/configured-resources.ts';
import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';

const arn = 'arn:aws:elasticfilesystem:us-east-1:123456789012:access-point/fsap-1';
const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:cp';

const inNetwork: Partial<Configuration> = {
  VpcConfig: {
    SubnetIds: ['subnet-1'],
    SecurityGroupIds: ['sg-1'],
    VpcId: 'vpc-1',
    Ipv6AllowedForDualStack: false,
  },
};
const withMount: Partial<Configuration> = {
  ...inNetwork,
  FileSystemConfigs: [{ Arn: arn, LocalMountPath: '/mnt/shared' }],
};
const onProvider: Partial<Configuration> = {
  CapacityProviderConfig: {
    LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: provider },
  },
};

describe('the resources that a function starts with', () => {
  const subnets = new Map<string, Subnet>();
  const securityGroups = new Map<string, SecurityGroup>();
  const accessPoints = new Map<string, AccessPoint>();
  const capacityProviders = new Map<string, CapacityProvider>();
  const declared = { subnets, securityGroups, accessPoints, capacityProviders };
  let environments: RealEnvironments;
  before(async () => {
    const configured = { ...noConfiguredResources, ...declared };
    environments = await startRealEnvironments({}, undefined, { configured });
  });
  after(() => environments.close());

  const declareAll = async (): Promise<void> => {
    subnets.set('subnet-1', { vpcId: 'vpc-1', reaches: [] });
    securityGroups.set('sg-1', { vpcId: 'vpc-1', ports: undefined });
    const folder = join(environments.folder, 'shared');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    accessPoints.set(arn, { folder });
    capacityProviders.set(provider, { environmentsMax: 4 });
  };

  const startWith = async (
    settings: Partial<Configuration>,
  ): Promise<{ code: string; text: string } | undefined> => {
    const files = { 'index.js': 'exports.handler = async () => 1;' };
    return environments.pool.prewarm(await environments.spec(files, settings));
  };

  it('are those that are declared', async () => {
    await declareAll();
    assert.equal(await startWith(withMount), undefined);
    assert.equal(await startWith(onProvider), undefined);
  });

  it('are missed by name when they are no longer declared', async () => {
    for (const [map, name, settings, code, text] of [
      [subnets, 'subnet-1', inNetwork, 'InvalidSubnet', /^The subnet subnet-1 no longer exists\. /],
      [securityGroups, 'sg-1', inNetwork, 'InvalidSecurityGroup', /security group sg-1 no longer/],
      [accessPoints, arn, withMount, 'EFSMountFailure', /add-resource access-point arn:\S+fsap-1 /],
      [capacityProviders, provider, onProvider, 'InvalidConfiguration', /capacity provider arn:/],
    ] as const) {
      await declareAll();
      map.delete(name);
      const failure = await startWith(settings);
      assert.equal(failure?.code, code, JSON.stringify(failure));
      assert.match(failure.text, text);
    }
  });

  it('do not include an access point without its folder', async () => {
    await declareAll();
    const folder = accessPoints.get(arn)?.folder ?? '';
    await rm(folder, { recursive: true });
    const text = `The access point ${arn} cannot be mounted: the folder that is declared for it is not on the host.`;
    const failure = { code: 'EFSMountFailure', text };
    assert.deepEqual(await startWith(withMount), failure);
    await writeFile(folder, 'a file');
    assert.deepEqual(await startWith(withMount), failure);
    assert.deepEqual(environments.faults, []);
  });
});
