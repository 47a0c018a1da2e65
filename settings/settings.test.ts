import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { readSettings, readSharedSettings, settingFlags, settingsHelp } from './settings.ts';
import type { EnvironmentVariables } from './setting.ts';
import type { Settings } from './setting-values.ts';

function problemsOf(flags: string[], environment: Record<string, string> = {}): readonly string[] {
  const result = readSettings(flags, environment);
  return result.kind === 'problems' ? result.problems : assert.fail('nothing was refused');
}

function settingsOf(flags: string[], environment: Record<string, string> = {}): Settings {
  const result = readSettings(flags, environment);
  return result.kind === 'settings' ? result.settings : assert.fail(result.problems.join('\n'));
}

describe('settings', () => {
  it('are refused one sentence each, all at once', () => {
    const problems = problemsOf(['--port', '70000', '--previews', 'some', 'extra', '--prot=1'], {
      HOB_LOG_LEVEL: 'loud',
      HOB_RATE_LIMIT_USER: '0',
      HOB_ABUSE_LIMITS: 'maybe',
      HOB_BASE_URL: 'https://code.example.org/hob',
      HOB_VENDOR: 'git hub',
    });
    assert.deepEqual(problems, [
      'Unexpected argument "extra".',
      'Unknown flag --prot. Did you mean --port?',
      '--port must be a whole number from 0 to 65535, not "70000".',
      'HOB_BASE_URL must be a URL like https://code.example.org, without a path, not "https://code.example.org/hob".',
      '--previews must be strict or lenient, not "some".',
      'HOB_RATE_LIMIT_USER must be a whole number from 1 to 1000000000, not "0".',
      'HOB_ABUSE_LIMITS must be on or off, not "maybe".',
      'HOB_LOG_LEVEL must be debug or info or warn or error or silent, not "loud".',
      'HOB_VENDOR must be a word of letters and digits, not "git hub".',
    ]);
  });

  it('of a node name the shared folder to commands that work on what all nodes have', () => {
    const node = {
      HOB_DATA: '/srv/node',
      HOB_NODE_ADDRESS: '10.0.0.1:3100',
      HOB_CLUSTER_DATA: '/srv/shared',
    };
    const dataFrom = (environment: EnvironmentVariables, ...flags: string[]): unknown => {
      const read = readSharedSettings(flags, environment);
      return read.kind === 'settings' ? read.settings.data : read.problems;
    };
    assert.equal(dataFrom(node), '/srv/shared');
    assert.equal(dataFrom(node, '--data', '/srv/shared'), '/srv/shared');
    assert.equal(dataFrom(node, '--data', '/srv/other'), '/srv/other');
    assert.equal(dataFrom({ HOB_DATA: '/srv/alone' }), '/srv/alone');
  });

  it('of the store of code are a folder, or a bucket with what it needs', () => {
    const key = { HOB_CODE_ACCESS_KEY_ID: 'id', HOB_CODE_SECRET_ACCESS_KEY: 'hunter2' };
    assert.deepEqual(settingsOf([], { HOB_CODE: '/mnt/code/' }).code, {
      kind: 'folder',
      folder: '/mnt/code',
    });
    const bucket = { kind: 's3', bucket: 'my-code', region: 'us-east-1' };
    const none = { endpoint: undefined, key: undefined };
    for (const [url, prefix] of [
      ['s3://my-code', ''],
      ['s3://my-code/', ''],
      ['s3://my-code/hob/a_1', 'hob/a_1/'],
      ['s3://my-code/hob/', 'hob/'],
    ] as const) {
      assert.deepEqual(settingsOf([], { HOB_CODE: url }).code, { ...bucket, ...none, prefix });
    }
    const other = { HOB_CODE_ENDPOINT: 'http://minio:9000', HOB_CODE_REGION: 'eu-1', ...key };
    assert.deepEqual(settingsOf([], { HOB_CODE: 's3://my-code/hob', ...other }).code, {
      ...bucket,
      prefix: 'hob/',
      endpoint: 'http://minio:9000',
      region: 'eu-1',
      key: { id: 'id', secret: 'hunter2' },
    });
    for (const wrong of [
      'code',
      './code',
      's3:code',
      's3://',
      's3://UPPER',
      's3://a',
      's3://my-code//x',
      's3://my-code/../x',
      's3://my-code/x/..',
      's3://my-code/./x',
      's3://my-code/a b',
      's3://my-code/a%2fb',
      's3://my-code/a?b',
      's3://my-code/x\n',
      's3://user:hunter2@my-code/x',
      'https://my-code',
    ]) {
      const [problem = '', ...more] = problemsOf([], { HOB_CODE: wrong });
      assert.match(problem, /^HOB_CODE must be an absolute path, or s3:/, wrong);
      assert.deepEqual(more, []);
    }
    assert.deepEqual(problemsOf([], { HOB_CODE_ACCESS_KEY_ID: 'id', HOB_CODE: 's3://my-code' }), [
      'HOB_CODE_ACCESS_KEY_ID and HOB_CODE_SECRET_ACCESS_KEY must be set together: set both, or neither.',
    ]);
    assert.deepEqual(problemsOf([], { HOB_CODE: '/mnt/code', ...key }), [
      'HOB_CODE_ENDPOINT and the access key are of a bucket: set HOB_CODE to s3://….',
    ]);
    assert.deepEqual(problemsOf(['--test-controls'], { HOB_CODE: '/mnt/code' }), [
      '--test-controls reset the data directory alone: remove HOB_CODE.',
    ]);
  });

  it('of a cluster are two, and need a database and an address that all nodes share', () => {
    const cluster = ['--node-address', '10.0.0.1:3100', '--cluster-data', '/srv/shared'];
    assert.deepEqual(problemsOf(cluster), [
      'The nodes of a cluster share a PostgreSQL database: set DATABASE_URL to postgres://….',
      'Clients reach the nodes of a cluster at one URL: set HOB_BASE_URL to it.',
    ]);
    const shared = {
      DATABASE_URL: 'postgres://hob@db/hob',
      HOB_BASE_URL: 'https://code.example.org',
    };
    assert.deepEqual(problemsOf(['--node-address', '10.0.0.1:3100'], shared), [
      '--node-address and --cluster-data must be set together: set both, or neither.',
    ]);
    assert.deepEqual(
      problemsOf([...cluster, '--data', '/srv/shared/', '--test-controls'], shared),
      [
        '--data and --cluster-data must be different folders: the first is of one node.',
        '--test-controls reset one server: remove --node-address and --cluster-data.',
      ],
    );
    for (const address of ['3100', '10.0.0.1:65536'])
      assert.equal(
        problemsOf(['--node-address', address, '--cluster-data', '/srv/shared'], shared)[0],
        `--node-address must be HOST:PORT with a port up to 65535, not "${address}".`,
      );
    assert.deepEqual(
      settingsOf(['--node-address', '[::1]:0', '--cluster-data', '/x'], shared).cluster,
      {
        address: '[::1]:0',
        data: '/x',
      },
    );
    assert.equal(settingsOf([]).cluster, undefined);
  });

  it('show metrics to nobody, to this machine, or to who has the token of a file', () => {
    const metricsOf = (text: string): Settings['metrics'] =>
      settingsOf([], { HOB_METRICS: text }).metrics;
    assert.deepEqual(settingsOf([]).metrics, { kind: 'off' });
    assert.deepEqual(metricsOf('off'), { kind: 'off' });
    assert.deepEqual(metricsOf('loopback'), { kind: 'loopback' });
    assert.deepEqual(metricsOf('/run/token'), { kind: 'token', file: '/run/token' });
    assert.deepEqual(problemsOf([], { HOB_METRICS: 'on' }), [
      'HOB_METRICS must be off, loopback or the path of a file, with a slash, not "on".',
    ]);
  });

  it('turn git over SSH on with a port, and have a public one only then', () => {
    assert.equal(settingsOf(['--ssh-port', '0']).sshPort, 0);
    assert.equal(settingsOf(['--ssh-port', 'off']).sshPort, undefined);
    assert.match(problemsOf(['--ssh-port', 'on'])[0] ?? '', /from 0 to 65535, or off/);
    assert.match(problemsOf([], { HOB_SSH_PUBLIC_PORT: '22' })[0] ?? '', /needs --ssh-port/);
  });

  it('refuse a seed without test controls', () => {
    assert.match(problemsOf(['--seed', 'x.yaml'])[0] ?? '', /--seed needs --test-controls/);
    assert.equal(settingsOf(['--seed', 'x.yaml', '--test-controls']).seed, 'x.yaml');
  });

  it('refuse test controls on more than loopback unless that is said', () => {
    assert.equal(settingsOf([]).testControls, 'off');
    assert.equal(settingsOf(['--test-controls']).testControls, 'on');
    const [problem] = problemsOf(['--test-controls', '--host', '0.0.0.0']);
    assert.match(problem ?? '', /0\.0\.0\.0 is not a loopback address/);
    const said = settingsOf(['--test-controls=any-address', '--host', '0.0.0.0']);
    assert.equal(said.testControls, 'any-address');
  });

  for (const text of ['', '-1', '1.5', '0x10', '65536', ' 80', 'tcp://10.0.0.1:3000']) {
    it(`refuse the port ${JSON.stringify(text)}`, () => {
      assert.equal(problemsOf([`--port=${text}`]).length, 1);
    });
  }

  for (const text of [
    'code.example.org',
    'ftp://x',
    'http://u:p@x',
    'http://x/?a',
    'http://x/#',
    'http://',
  ]) {
    it(`refuse the base URL ${text}`, () => {
      assert.equal(problemsOf([], { HOB_BASE_URL: text }).length, 1);
    });
  }

  for (const text of [
    '.example.org',
    'a_b.org',
    'https://x',
    '127.0.0.1',
    'x:80',
    'X.org',
    '*.x',
  ]) {
    it(`refuse the domain of function URLs ${text}`, () => {
      assert.equal(problemsOf([], { HOB_FUNCTION_URL_DOMAIN: text }).length, 1);
    });
  }

  it('refuse a flag without its value, and one that is unlike any other', () => {
    assert.deepEqual(problemsOf(['--port']), ['--port needs a value.']);
    assert.deepEqual(problemsOf(['--frobnicate']), ['Unknown flag --frobnicate.']);
    assert.deepEqual(problemsOf(['--frobnicate', '1']), ['Unknown flag --frobnicate.']);
  });

  it('refuse a certificate without its key, and a key without its certificate', () => {
    const together = ['--tls-cert and --tls-key must be set together: set both, or neither.'];
    assert.deepEqual(problemsOf(['--tls-cert', 'cert.pem']), together);
    assert.deepEqual(problemsOf([], { HOB_TLS_KEY: 'key.pem' }), together);
    const both = settingsOf(['--tls-cert', 'cert.pem'], { HOB_TLS_KEY: 'key.pem' });
    assert.deepEqual(both.tls, { certificate: 'cert.pem', key: 'key.pem' });
  });

  it('are shown as they are in force, with where they come from and without secrets', () => {
    const read = readSettings(['--port', '0'], {
      HOB_PORT: '1',
      HOB_HOST: '127.0.0.1',
      HOB_REDIS_URL: 'redis://user:hunter2@host',
    });
    assert.ok(read.kind === 'settings');
    const shown = (name: string): unknown => read.inForce.find((each) => each.name === name);
    assert.deepEqual(shown('HOB_PORT'), { name: 'HOB_PORT', value: '0', source: 'flag' });
    assert.deepEqual(shown('HOB_HOST'), {
      name: 'HOB_HOST',
      value: '127.0.0.1',
      source: 'variable',
    });
    assert.deepEqual(shown('HOB_REDIS_URL'), {
      name: 'HOB_REDIS_URL',
      value: '***',
      source: 'variable',
    });
    assert.equal(JSON.stringify(read.inForce).includes('hunter2'), false);
    assert.deepEqual(shown('DATABASE_URL'), {
      name: 'DATABASE_URL',
      value: 'SQLite in the data directory',
      source: 'default',
    });
  });

  it('do not repeat a secret', () => {
    const [problem] = problemsOf(['--database', 'mysql://hob:hunter2@db/hob']);
    assert.equal(problem, '--database must be postgres://USER:PASSWORD@HOST/NAME or sqlite:PATH.');
  });

  it('have a URL of Redis that can be used', () => {
    for (const url of [
      'redis://u:hunter2%zz@host',
      'redis://u:hunter2%@host',
      'redis://host:99999',
      'redis://[::1',
      'redis://u:hunter2#x@host',
      'redis://host?x',
    ]) {
      const [problem, ...others] = problemsOf([], { HOB_REDIS_URL: url });
      assert.match(
        problem ?? '',
        /^HOB_REDIS_URL must be redis:\/\/.* % of a password is %25\.$/,
        url,
      );
      assert.deepEqual(others, []);
    }
    for (const url of ['redis://host', 'rediss://u:p%25@[::1]:1/2', 'redis://:p@host/'])
      assert.equal(settingsOf([], { HOB_REDIS_URL: url }).redisUrl, url);
  });

  it('have defaults that need nothing', () => {
    const { data, ...settings } = settingsOf([]);
    assert.equal(data, join(import.meta.dirname, '..', 'data'));
    assert.deepEqual(settings, {
      port: 3000,
      host: '127.0.0.1',
      sshPort: undefined,
      sshPublicPort: undefined,
      baseUrl: undefined,
      tls: undefined,
      database: undefined,
      databaseConnections: 10,
      cluster: undefined,
      redisUrl: undefined,
      previews: 'strict',
      rateLimitUser: 5000,
      rateLimitAnonymous: 60,
      rateLimitApplication: 5000,
      rateLimitSearch: 30,
      abuseLimits: true,
      maintenance: true,
      pollingLimit: 120,
      trustedProxies: [],
      connectionsMax: 2048,
      connectionsPerAddressMax: 256,
      bytesPerSecondMin: 256,
      seed: undefined,
      stopDelaySeconds: 0,
      testControls: 'off',
      webhookPrivateTargets: false,
      imageProxy: 'on',
      imports: 'on',
      admin: { login: undefined, password: undefined, token: undefined },
      region: 'us-east-1',
      accountId: '123456789012',
      allowUnsigned: false,
      accessKeyId: undefined,
      secretAccessKey: undefined,
      code: undefined,
      functions: {
        minimumInProgressMilliseconds: 0,
        idleEnvironmentSeconds: 600,
        inactiveSeconds: 14 * 24 * 60 * 60,
        environmentsMax: 64,
        codeMebibytes: 76_800,
        logDays: 0,
        urlDomain: undefined,
        network: 'none',
        forge: true,
        requiredIsolation: undefined,
        insecureFunctions: false,
        runtimePrograms: {},
        resources: undefined,
        sharedFolders: [],
        sharedHosts: [],
        objectsFolder: undefined,
        objectsEndpoint: undefined,
        objectsAccessKeyId: '',
        objectsSecretAccessKey: '',
        imagesFolder: undefined,
        searchPath: '/usr/local/bin:/usr/bin:/bin',
      },
      logLevel: 'info',
      accessLog: false,
      metrics: { kind: 'off' },
      vendor: 'github',
    });
  });

  it('read the folders and hosts that pages may share', () => {
    const { functions } = settingsOf([], {
      HOB_SHARED_FOLDERS: '/srv/shared/, /mnt/../srv/other',
      HOB_SHARED_HOSTS: 'DB.internal:5432, [::1]:80',
    });
    assert.deepEqual(functions.sharedFolders, ['/srv/shared', '/srv/other']);
    assert.deepEqual(functions.sharedHosts, ['db.internal:5432', '[::1]:80']);
    assert.match(problemsOf([], { HOB_SHARED_FOLDERS: 'shared' }).join(' '), /absolute paths/);
    assert.match(problemsOf([], { HOB_SHARED_HOSTS: 'db' }).join(' '), /db\.internal:5432/);
  });

  it('refuse half an access key, and one that looks like a session', () => {
    const [half] = problemsOf([], { HOB_ACCESS_KEY_ID: 'AKIAEXAMPLE' });
    assert.equal(
      half,
      'HOB_ACCESS_KEY_ID and HOB_SECRET_ACCESS_KEY must be set together: set both, or neither.',
    );
    assert.deepEqual(
      problemsOf([], { HOB_ACCESS_KEY_ID: 'ASIAEXAMPLE', HOB_SECRET_ACCESS_KEY: 'hunter2' }),
      [
        'HOB_ACCESS_KEY_ID must be 3 to 128 letters and digits, not beginning with ASIA, not "ASIAEXAMPLE".',
        'HOB_SECRET_ACCESS_KEY must be 8 to 128 printable ASCII characters without spaces.',
      ],
    );
  });

  it('take a switch without a value, and with one', () => {
    assert.deepEqual(problemsOf(['--allow-unsigned=perhaps']), [
      '--allow-unsigned must be on or off, not "perhaps".',
    ]);
    assert.deepEqual(problemsOf(['--allow-unsigned', 'off']), ['Unexpected argument "off".']);
    assert.equal(settingsOf(['--allow-unsigned']).allowUnsigned, true);
    const environment = { HOB_ALLOW_UNSIGNED: 'on' };
    assert.equal(settingsOf([], environment).allowUnsigned, true);
    assert.equal(settingsOf(['--allow-unsigned=off'], environment).allowUnsigned, false);
  });

  it('take a flag over its variable, and an empty variable for none', () => {
    const environment = { HOB_PORT: '4000', HOB_HOST: '' };
    assert.equal(settingsOf(['--port', '0'], environment).port, 0);
    assert.equal(settingsOf([], environment).port, 4000);
    assert.equal(settingsOf([], environment).host, '127.0.0.1');
  });

  it('read every variable', () => {
    const settings = settingsOf([], {
      HOB_DATA: '/srv/hob',
      HOB_BASE_URL: 'https://code.example.org/',
      DATABASE_URL: 'postgres://hob@db/hob',
      HOB_PREVIEWS: 'lenient',
      HOB_RATE_LIMIT_APPLICATION: '7',
      HOB_ABUSE_LIMITS: 'off',
      HOB_ADMIN_LOGIN: 'ada',
      HOB_ADMIN_PASSWORD: 'hunter2',
      HOB_ADMIN_TOKEN: 'token',
      HOB_REGION: 'eu-west-3',
      HOB_ACCOUNT_ID: '000000000000',
      HOB_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      HOB_SECRET_ACCESS_KEY: 'hunter22',
    });
    assert.equal(settings.region, 'eu-west-3');
    assert.equal(settings.accountId, '000000000000');
    assert.equal(settings.accessKeyId, 'AKIAEXAMPLE');
    assert.equal(settings.secretAccessKey, 'hunter22');
    assert.equal(settings.data, '/srv/hob');
    assert.equal(settings.baseUrl, 'https://code.example.org');
    assert.equal(settings.database, 'postgres://hob@db/hob');
    assert.equal(settings.previews, 'lenient');
    assert.equal(settings.rateLimitApplication, 7);
    assert.equal(settings.abuseLimits, false);
    assert.deepEqual(settings.admin, { login: 'ada', password: 'hunter2', token: 'token' });
  });

  it('are all shown in the help, with their defaults', () => {
    const help = settingsHelp();
    assert.match(
      help,
      /--port PORT, HOB_PORT\n {6}TCP port; 0 selects a free port \(default: 3000\)/,
    );
    // Two lines for each: its names, and what it is for with its default.
    const lines = help.split('\n');
    assert.equal(lines.length, 2 * lines.filter((line) => /\(default: /.test(line)).length);
    for (const flag of settingFlags()) assert.match(help, new RegExp(`--${flag}[ ,]`));
  });
});
