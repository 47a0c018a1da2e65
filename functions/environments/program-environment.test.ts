import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newConfiguration } from '../configuration/configuration.ts';
import { programEnvironment } from './program-environment.ts';
import type { VersionSpec } from './version-spec.ts';

describe('the environment variables of a function', () => {
  const spec: VersionSpec = {
    versionId: 1,
    functionName: 'fn',
    functionHash: '00000000',
    version: '$LATEST',
    configurationId: 1,
    configuration: newConfiguration({
      functionName: 'fn',
      role: 'arn:aws:iam::123456789012:role/worker',
      packageType: 'Zip',
      architecture: 'x86_64',
      code: { sha256: '00', size: 1, unzippedSize: 1 },
    }),
    sealedVariables: undefined,
  };
  const of = (bundledRuntimeInterfaceClient: boolean, variables = {}) =>
    programEnvironment(
      spec,
      { environment: { TZ: ':UTC', PATH: '/var/lang/bin' }, bundledRuntimeInterfaceClient },
      {
        service: {
          AWS_ENDPOINT_URL: 'http://hob.example',
          GITHUB_SERVER_URL: 'http://hob.example',
        },
        variables,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c', expiresAt: 0 },
        region: 'us-east-1',
        logStream: 'stream',
        runtimeApi: '127.0.0.1:9001',
      },
    );

  it('name our socket only where a client of ours is there to take it away again', () => {
    assert.equal(of(true)['HOB_RUNTIME_SOCKET'], '/run/hob/runtime');
    assert.equal(of(false)['HOB_RUNTIME_SOCKET'], undefined);
  });

  it('are the platform’s where the function sets them as well', () => {
    const { AWS_REGION, OWN } = of(false, { AWS_REGION: 'elsewhere', OWN: 'retained' });
    assert.deepEqual([AWS_REGION, OWN], ['us-east-1', 'retained']);
  });

  it('are the function’s where its runtime or image sets them as well', () => {
    const { TZ, PATH } = of(false, { TZ: 'Europe/Berlin' });
    assert.deepEqual([TZ, PATH], ['Europe/Berlin', '/var/lang/bin']);
  });

  it('lead to the server, unless the function sets them', () => {
    const own = of(true, { AWS_ENDPOINT_URL: 'http://elsewhere' });
    assert.equal(own['AWS_ENDPOINT_URL'], 'http://elsewhere');
    assert.equal(own['GITHUB_SERVER_URL'], 'http://hob.example');
  });
});
