import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import { CliError } from '../context/errors.ts';
import type { ProgramResult } from '../programs/command-line.ts';
import type { Profile, ProfileOptions } from './profile.ts';
import { profilePaths } from './profile-files.ts';
import { resolveProfile } from './resolve-profile.ts';
import { withSection, writeProfile } from './write-profile.ts';

const none: ProfileOptions = {
  profile: undefined,
  region: undefined,
  endpointUrl: undefined,
  output: undefined,
  caBundle: undefined,
  binaryFormat: undefined,
  autoPrompt: undefined,
};

type Environment = Readonly<Record<string, string>>;

describe('profiles', () => {
  let home = '';

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'hob-profile-'));
  });
  after(async () => {
    await rm(home, { recursive: true });
  });
  beforeEach(async () => {
    await rm(join(home, '.aws'), { recursive: true, force: true });
    await mkdir(join(home, '.aws'));
  });

  const config = (text: string): Promise<void> => writeFile(join(home, '.aws', 'config'), text);
  const keys = (text: string): Promise<void> => writeFile(join(home, '.aws', 'credentials'), text);

  async function resolved(
    environment: Environment = {},
    options: Partial<ProfileOptions> = {},
    program: ProgramResult = { kind: 'unstartable', message: 'not expected' },
  ): Promise<Profile> {
    const context = { environment, home, now: () => 0, runProgram: async () => program };
    return resolveProfile({ ...none, ...options }, context);
  }

  async function refusal(act: () => Promise<unknown>): Promise<readonly [number, string]> {
    try {
      await act();
    } catch (error) {
      if (error instanceof CliError) return [error.exitCode, error.message];
      throw error;
    }
    return [0, 'not refused'];
  }

  it('need no files, and take folders in their place for none', async () => {
    await mkdir(join(home, '.aws', 'config'));
    await mkdir(join(home, '.aws', 'credentials'));
    const profile = await resolved({ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
    assert.equal(profile.region, undefined);
    assert.equal((await profile.findCredentials()).source, 'env');
  });

  it('refuses a profile that is named and in no file', async () => {
    const expected = [255, 'The config profile (nope) could not be found'];
    assert.deepEqual(await refusal(() => resolved({}, { profile: 'nope' })), expected);
    assert.deepEqual(await refusal(() => resolved({ AWS_PROFILE: 'nope' })), expected);
  });

  it('refuses a file that is none', async () => {
    await config('[default]\nregion\n');
    assert.deepEqual(await refusal(() => resolved()), [
      255,
      `Unable to parse config file: ${join(home, '.aws', 'config')}`,
    ]);
  });

  it('refuses a retry mode and numbers of attempts that do not exist', async () => {
    const mode =
      'Invalid value provided to "mode": "legacy" must be one of: "standard" or "adaptive"';
    assert.deepEqual(await refusal(() => resolved({ AWS_RETRY_MODE: 'legacy' })), [255, mode]);
    assert.deepEqual(await refusal(() => resolved({ AWS_MAX_ATTEMPTS: 'x' })), [
      255,
      "invalid literal for int() with base 10: 'x'",
    ]);
    assert.equal((await refusal(() => resolved({ AWS_MAX_ATTEMPTS: '0' })))[0], 255);
  });

  it('has its own choice where nothing is configured', async () => {
    const { findCredentials, ...rest } = await resolved();
    assert.deepEqual(rest, {
      name: 'default',
      region: undefined,
      endpointUrl: undefined,
      output: 'json',
      pager: undefined,
      binaryFormat: 'base64',
      autoPrompt: 'off',
      caBundle: undefined,
      retries: { attemptsMax: 3 },
    });
    assert.deepEqual(await refusal(findCredentials), [
      253,
      'Unable to locate credentials. You can configure credentials by running "hob functions configure".',
    ]);
  });

  it('lets options win over variables, and variables over files', async () => {
    await config('[default]\nregion = file\noutput = yaml\n[profile other]\nregion = other\n');
    assert.equal((await resolved()).region, 'file');
    assert.equal((await resolved()).output, 'yaml');
    const environment = { AWS_DEFAULT_REGION: 'second', AWS_DEFAULT_OUTPUT: 'text' };
    assert.equal((await resolved(environment)).region, 'second');
    assert.equal((await resolved({ ...environment, AWS_REGION: 'first' })).region, 'first');
    assert.equal((await resolved(environment)).output, 'text');
    assert.equal((await resolved(environment, { region: 'option' })).region, 'option');
    assert.equal((await resolved(environment, { output: 'table' })).output, 'table');
    assert.equal((await resolved({ AWS_DEFAULT_PROFILE: 'other' })).region, 'other');
    const both = { AWS_PROFILE: 'default', AWS_DEFAULT_PROFILE: 'other' };
    assert.equal((await resolved(both)).region, 'file');
  });

  it('reads the files that variables name', async () => {
    await writeFile(join(home, 'elsewhere'), '[default]\nregion = elsewhere\n');
    const environment = { AWS_CONFIG_FILE: '~/elsewhere' };
    assert.equal((await resolved(environment)).region, 'elsewhere');
  });

  it('takes an endpoint in the order of reach', async () => {
    await config(
      '[default]\nservices = mine\nendpoint_url = http://general\n[services mine]\nlambda =\n  endpoint_url = http://service\n[profile x]\nendpoint_url = http://x\n',
    );
    const endpoint = async (environment: Environment, options = {}): Promise<string | undefined> =>
      (await resolved(environment, options)).endpointUrl;
    assert.equal(await endpoint({ AWS_PROFILE: 'x' }), 'http://x');
    assert.equal(await endpoint({}), 'http://service');
    const all = { AWS_ENDPOINT_URL: 'http://all' };
    assert.equal(await endpoint(all), 'http://all');
    const own = { ...all, AWS_ENDPOINT_URL_LAMBDA: 'http://own' };
    assert.equal(await endpoint(own), 'http://own');
    const ignoring = { ...own, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' };
    assert.equal(await endpoint(ignoring), undefined);
    assert.equal(await endpoint(ignoring, { endpointUrl: 'http://o' }), 'http://o');
  });

  it('takes the pager of AWS, of the file, of the system; empty is none', async () => {
    await config('[default]\ncli_pager = file\n');
    assert.equal((await resolved({ PAGER: 'system' })).pager, 'file');
    assert.equal((await resolved({ PAGER: 'system', AWS_PAGER: '' })).pager, '');
    await config('[default]\ncli_pager =\n');
    assert.equal((await resolved({ PAGER: 'system' })).pager, '');
    await config('');
    assert.equal((await resolved({ PAGER: 'system' })).pager, 'system');
  });

  describe('credentials', () => {
    const pair = { AWS_ACCESS_KEY_ID: 'envid', AWS_SECRET_ACCESS_KEY: 'envsecret' };

    it('refuse half a pair, wherever it stands', async () => {
      assert.deepEqual(
        await refusal((await resolved({ AWS_ACCESS_KEY_ID: 'a' })).findCredentials),
        [255, 'Partial credentials found in env, missing: AWS_SECRET_ACCESS_KEY'],
      );
      await keys('[default]\naws_access_key_id = a\n');
      assert.deepEqual(await refusal((await resolved()).findCredentials), [
        255,
        'Partial credentials found in shared-credentials-file, missing: aws_secret_access_key',
      ]);
    });

    it('come from the environment unless a profile is named on the command line', async () => {
      await keys('[x]\naws_access_key_id = fileid\naws_secret_access_key = filesecret\n');
      const found = async (environment: Environment, options = {}): Promise<string> =>
        (await (await resolved(environment, options)).findCredentials()).accessKeyId;
      assert.equal(await found(pair), 'envid');
      assert.equal(await found({ ...pair, AWS_PROFILE: 'x' }), 'envid');
      assert.equal(await found(pair, { profile: 'x' }), 'fileid');
    });

    it('come from the credentials file before the config file, with their token', async () => {
      await config('[default]\naws_access_key_id = c\naws_secret_access_key = d\n');
      assert.deepEqual(await (await resolved()).findCredentials(), {
        accessKeyId: 'c',
        secretAccessKey: 'd',
        source: 'config-file',
      });
      await keys(
        '[default]\naws_access_key_id = a\naws_secret_access_key = b\naws_session_token = t\n',
      );
      assert.deepEqual(await (await resolved()).findCredentials(), {
        accessKeyId: 'a',
        secretAccessKey: 'b',
        sessionToken: 't',
        source: 'shared-credentials-file',
      });
    });

    const programs: readonly (readonly [result: ProgramResult, expected: string])[] = [
      [{ kind: 'unstartable', message: 'no such program' }, 'no such program'],
      [{ kind: 'ended', status: 1, output: '', errors: 'locked' }, 'locked'],
      [{ kind: 'ended', status: 0, output: 'x', errors: '' }, 'The output is not a JSON object.'],
      [
        { kind: 'ended', status: 0, output: '{"Version":2}', errors: '' },
        "Unsupported version '2' for credential process provider, supported versions: 1",
      ],
      [
        { kind: 'ended', status: 0, output: '{"Version":1,"AccessKeyId":"a"}', errors: '' },
        'Missing required key in response: SecretAccessKey',
      ],
    ];
    for (const [result, expected] of programs) {
      it(`refuse a program that fails: ${expected}`, async () => {
        await config('[default]\ncredential_process = tool "a b"\n');
        const { findCredentials } = await resolved({}, {}, result);
        assert.deepEqual(await refusal(findCredentials), [
          255,
          `Error when retrieving credentials from custom-process: ${expected}`,
        ]);
      });
    }

    it('come from a program', async () => {
      await config('[default]\ncredential_process = tool\n');
      const output = '{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b","SessionToken":"t"}';
      const result: ProgramResult = { kind: 'ended', status: 0, output, errors: '' };
      assert.deepEqual(await (await resolved({}, {}, result)).findCredentials(), {
        accessKeyId: 'a',
        secretAccessKey: 'b',
        sessionToken: 't',
        source: 'custom-process',
      });
    });
  });

  describe('writing', () => {
    const profile = {
      name: 'hob',
      region: 'us-east-1',
      endpointUrl: 'http://127.0.0.1:3000',
      output: undefined,
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
    };

    it('refuses names and values that would break the file', async () => {
      const paths = profilePaths({}, home);
      assert.equal((await refusal(() => writeProfile({ ...profile, name: 'a]' }, paths)))[0], 252);
      const region = 'a\n[b]';
      assert.equal((await refusal(() => writeProfile({ ...profile, region }, paths)))[0], 252);
    });

    it('makes files that only the user reads and that read back', async () => {
      await rm(join(home, '.aws'), { recursive: true });
      const paths = profilePaths({}, home);
      await writeProfile(profile, paths);
      assert.equal((await stat(paths.credentials)).mode & 0o777, 0o600);
      const { region, endpointUrl, findCredentials } = await resolved({}, { profile: 'hob' });
      assert.deepEqual([region, endpointUrl], ['us-east-1', 'http://127.0.0.1:3000']);
      assert.equal((await findCredentials()).secretAccessKey, 'secret');
    });

    it('writes through no link that another user may have put there', async () => {
      const paths = profilePaths({}, home);
      const other = join(home, 'of-another-user');
      await writeFile(other, 'as it was');
      await mkdir(join(home, '.aws'), { recursive: true });
      await symlink(other, `${paths.credentials}.${process.pid}.new`);
      await writeProfile(profile, paths);
      assert.equal(await readFile(other, 'utf8'), 'as it was');
      assert.equal((await stat(paths.credentials)).mode & 0o777, 0o600);
      assert.deepEqual((await readdir(join(home, '.aws'))).toSorted(), [
        'config',
        'credentials',
        `credentials.${process.pid}.new`,
      ]);
    });

    it('leaves everything else in the files alone, however often it writes', async () => {
      const paths = profilePaths({}, home);
      await config('# mine\n[default]\nregion = eu-west-1\n');
      await writeProfile(profile, paths);
      await writeProfile({ ...profile, region: 'us-west-2' }, paths);
      assert.equal(
        await readFile(paths.config, 'utf8'),
        '# mine\n[default]\nregion = eu-west-1\n\n[profile hob]\nregion = us-west-2\nendpoint_url = http://127.0.0.1:3000\n',
      );
    });

    it('replaces a setting with the block under it', () => {
      assert.equal(
        withSection('[a]\nx =\n  y = 1\n# why\nz = 2\n[b]\nx = 3\n', 'a', { x: '9' }),
        '[a]\nx = 9\n# why\nz = 2\n[b]\nx = 3\n',
      );
    });
  });
});
