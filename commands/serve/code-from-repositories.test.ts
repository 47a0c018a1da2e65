import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  PublishLayerVersionCommand,
  UpdateFunctionCodeCommand,
  type UpdateFunctionCodeCommandInput,
} from '@aws-sdk/client-lambda';

import { createRepositoryCode } from '#forge/function-code/repository-code.ts';
import { GitError } from '#forge/git/git-error.ts';
import type { TreeChange } from '#forge/git/git.ts';
import { branchRef, noObject, parseBranchName, parseTreePath } from '#forge/git/names.ts';
import { changeRefs } from '#forge/ref-updates/change-refs.ts';
import { commitFiles, repositoryId } from '#forge/testing/commits.ts';
import type { TestUser } from '#forge/testing/test-forge.ts';
import { createAccessKey } from '#functions/access-keys/administer-access-keys.ts';
import {
  repositoryObjects,
  type RepositoryCode,
} from '#functions/code/objects/repository-objects.ts';
import { listed } from '#functions/code/testing/temporary-folder.ts';
import { testRole, testZip } from '#functions/testing/test-functions.ts';

import { connectServices, type ConnectedServices } from './testing/connected-services.ts';

const recorded = (code: string, message: string): { name: string; message: string } => ({
  name: 'InvalidParameterValueException',
  message: `Error occurred while GetObject. S3 Error Code: ${code}. S3 Error Message: ${message}`,
});
const noBucket = recorded('NoSuchBucket', 'The specified bucket does not exist');
const noKey = recorded('NoSuchKey', 'The specified key does not exist.');
const tooLarge =
  'The object has more than 50000 files or 262144000 bytes, or a path of over 4096 bytes.';
const noVersion = recorded('NoSuchVersion', 'The specified version does not exist.');

describe('code of functions from repositories', () => {
  let services: ConnectedServices;
  let endpoint: string;
  let owner: TestUser;
  let client: LambdaClient;
  const clients: LambdaClient[] = [];
  before(async () => {
    services = await connectServices();
    endpoint = await services.functions.listen();
    owner = await services.forge.user('ada');
    client = await clientOf(owner);
    await services.functions.create('fn');
  });
  after(async () => {
    for (const each of clients) each.destroy();
    await services.close();
  });

  /** The AWS SDK with an access key of a user. */
  async function clientOf(user: TestUser): Promise<LambdaClient> {
    const credentials = await createAccessKey(services.functions.ports, user.account.id);
    const made = new LambdaClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
    clients.push(made);
    return made;
  }

  type Source = Pick<UpdateFunctionCodeCommandInput, 'S3Bucket' | 'S3Key' | 'S3ObjectVersion'>;

  async function updated(source: Source, by = client): Promise<string | undefined> {
    const command = new UpdateFunctionCodeCommand({ FunctionName: 'fn', ...source });
    const { CodeSha256 } = await by.send(command);
    await services.functions.untilProvisioned();
    return CodeSha256;
  }

  async function filesOf(sha256: string | undefined): Promise<string[]> {
    assert.ok(sha256 !== undefined);
    const hex = Buffer.from(sha256, 'base64').toString('hex');
    const files = await listed(await services.functions.ports.code.tree(hex));
    return Object.keys(files).toSorted();
  }

  const repository = (name: string, options: { private?: boolean } = {}) =>
    services.forge.repository(owner, { name, ...options });

  test('is refused in the words of S3 where there is nothing to read', async () => {
    const full = await repository('refused');
    await commitFiles(services.forge, full, 'main', { 'code/index.mjs': '1', loose: '2' });
    await repository('empty');
    const cases: readonly (readonly [Source, { message: string }])[] = [
      [{ S3Bucket: 'ada.absent', S3Key: 'code.zip' }, noBucket],
      [{ S3Bucket: 'nobody.refused', S3Key: 'code.zip' }, noBucket],
      [{ S3Bucket: 'refused', S3Key: 'code.zip' }, noBucket],
      [{ S3Bucket: 'ada.empty', S3Key: '.zip' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: 'absent.zip' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: 'code' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: 'loose.zip' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: '../refused/code.zip' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: '/code.zip' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: '.git/config' }, noKey],
      [{ S3Bucket: 'ada.refused', S3Key: 'code.zip', S3ObjectVersion: 'absent' }, noVersion],
      [{ S3Bucket: 'ada.refused', S3Key: 'code.zip', S3ObjectVersion: '--help' }, noVersion],
      [{ S3Bucket: 'ada.refused', S3Key: 'code.zip', S3ObjectVersion: 'f'.repeat(40) }, noVersion],
    ];
    for (const [source, error] of cases) {
      await assert.rejects(updated(source), error, JSON.stringify(source));
    }
  });

  test('is hidden from access keys whose owner may not read the repository', async () => {
    const full = await repository('hidden', { private: true });
    await commitFiles(services.forge, full, 'main', { 'code/index.mjs': 'secret' });
    const source = { S3Bucket: 'ada.hidden', S3Key: 'code.zip' };
    const outsider = await services.forge.user('eve');
    const outsiderClient = await clientOf(outsider);
    await assert.rejects(updated(source, outsiderClient), noBucket);
    // A request without signature, which this server allows, is nobody's.
    const unsigned = await services.functions.call('UpdateFunctionCode', {
      FunctionName: 'fn',
      ...source,
    });
    assert.equal(unsigned.body.Message ?? unsigned.body.message, noBucket.message);
    const layer = new PublishLayerVersionCommand({ LayerName: 'l', Content: source });
    await assert.rejects(outsiderClient.send(layer), noBucket);
    assert.ok(await updated(source));
    const invited = await owner.put(`/repos/${full}/collaborators/eve`, { permission: 'pull' });
    assert.equal(invited.status, 201, invited.text);
    await assert.rejects(updated(source, outsiderClient), noBucket);
    const accepted = `/user/repository_invitations/${invited.body.id}`;
    assert.equal((await outsider.patch(accepted)).status, 204);
    assert.ok(await updated(source, outsiderClient));
  });

  test('is a folder of the default branch, of another branch, of a tag or of a commit', async () => {
    const full = await repository('versions');
    const first = await commitFiles(services.forge, full, 'main', { 'code/index.mjs': 'one' });
    const source = { S3Bucket: 'Ada.Versions', S3Key: 'code.zip' };
    const one = await updated(source);
    assert.deepEqual(await filesOf(one), ['index.mjs']);
    await commitFiles(services.forge, full, 'main', { 'code/index.mjs': 'two' });
    const second = await commitFiles(services.forge, full, 'topic', {
      'code/index.mjs': 'three',
      'code/deep/other.mjs': 'x',
      'README.md': 'x',
    });
    const tagged = await owner.post(`/repos/${full}/git/refs`, { ref: 'refs/tags/v1', sha: first });
    assert.equal(tagged.status, 201, tagged.text);
    const two = await updated(source);
    assert.notEqual(two, one);
    const three = await updated({ ...source, S3ObjectVersion: 'topic' });
    assert.deepEqual(await filesOf(three), ['deep', 'deep/other.mjs', 'index.mjs']);
    assert.equal(await updated({ ...source, S3ObjectVersion: second }), three);
    assert.equal(await updated({ ...source, S3ObjectVersion: 'v1' }), one);
    assert.equal(await updated({ ...source, S3ObjectVersion: first }), one);
    const whole = await updated({ ...source, S3Key: '.zip', S3ObjectVersion: 'topic' });
    const all = ['README.md', 'code', 'code/deep', 'code/deep/other.mjs', 'code/index.mjs'];
    assert.deepEqual(await filesOf(whole), all);
  });

  test('keeps links and executables, and leaves submodules empty', async () => {
    const full = await repository('kinds');
    const base = await commitFiles(services.forge, full, 'main', { 'code/index.mjs': '1' });
    const git = services.forge.git.repository(await repositoryId(services.forge, full));
    const change = async (
      path: string,
      mode: TreeChange['mode'],
      content: string | Buffer,
    ): Promise<TreeChange> => ({
      path: parseTreePath(path) ?? assert.fail(),
      mode,
      id: mode === '160000' ? base : await git.writeBlob(Buffer.from(content)),
    });
    const tree = await git.writeTree((await git.readCommit(base))?.tree, [
      await change('code/run', '100755', '#!/bin/sh'),
      await change('code/link', '120000', 'index.mjs'),
      await change('code/module', '160000', ''),
      await change('code/large', '100644', Buffer.alloc(3_000_000, 'x')),
      await change('bad/link', '120000', '/etc/passwd'),
    ]);
    assert.ok(tree.kind === 'written');
    const author = { name: 'A', email: 'a@example.test', seconds: 1, offsetMinutes: 0 };
    const signed = { author, committer: author, message: 'kinds' };
    const commit = await git.writeCommit({ tree: tree.id, parents: [base], ...signed });
    const ref = branchRef(parseBranchName('kinds') ?? assert.fail());
    await changeRefs(services.forge.ports, {
      repositoryId: git.id,
      refs: [{ ref, old: noObject, new: commit }],
      now: services.forge.clock.now(),
    });
    const source = { S3Bucket: 'ada.kinds', S3ObjectVersion: 'kinds' };
    const sha256 = await updated({ ...source, S3Key: 'code.zip' });
    assert.deepEqual(await filesOf(sha256), ['index.mjs', 'large', 'link', 'module', 'run*']);
    await assert.rejects(updated({ ...source, S3Key: 'bad.zip' }), {
      message: /Could not unzip uploaded file\..* "link" leads outside/,
    });
    await assert.rejects(updated({ ...source, S3Key: 'code/link' }), noKey);
  });

  test('may be a committed archive, and is for new functions and layers, too', async () => {
    const full = await repository('archive');
    await commitFiles(services.forge, full, 'main', { 'dist/app.zip': testZip, 'dist/app/x': '1' });
    const Code = { S3Bucket: 'ada.archive', S3Key: 'dist/app.zip' };
    const sha256 = await updated(Code);
    assert.deepEqual(await filesOf(sha256), ['index.mjs']);
    const common = { Role: testRole, Runtime: 'nodejs24.x', Handler: 'index.handler' } as const;
    await client.send(new CreateFunctionCommand({ FunctionName: 'made', ...common, Code }));
    await services.functions.untilProvisioned();
    const made = new GetFunctionConfigurationCommand({ FunctionName: 'made' });
    assert.equal((await client.send(made)).CodeSha256, sha256);
    const { Content } = await client.send(
      new PublishLayerVersionCommand({ LayerName: 'layer', Content: Code }),
    );
    assert.equal(Content?.CodeSha256, sha256);
  });

  test('comes from the object store of the operator where both have the bucket', async () => {
    const full = await repository('taken');
    await commitFiles(services.forge, full, 'main', { 'code/other.mjs': '1' });
    const bucket = join(services.functions.folder, 'buckets', 'ada.taken');
    await mkdir(bucket, { recursive: true });
    await writeFile(join(bucket, 'code.zip'), testZip);
    const source = { S3Bucket: 'ada.taken', S3Key: 'code.zip' };
    assert.deepEqual(await filesOf(await updated(source)), ['index.mjs']);
    await assert.rejects(updated({ ...source, S3Key: 'code/other.mjs' }), noKey);
  });

  test('is refused where it is too large', async () => {
    const full = await repository('large');
    const half = Buffer.alloc(50_000_000);
    const parts = [1, 2, 3, 4, 5, 6].map((number): [string, Buffer] => [`code/${number}`, half]);
    await commitFiles(services.forge, full, 'main', Object.fromEntries(parts));
    await assert.rejects(
      updated({ S3Bucket: 'ada.large', S3Key: 'code.zip' }),
      recorded('EntityTooLarge', tooLarge),
    );
  });

  test('is refused where its paths are too long for an archive', async () => {
    const full = await repository('deep');
    const git = services.forge.git.repository(await repositoryId(services.forge, full));
    const name = 'n'.repeat(250);
    const path = parseTreePath(name) ?? assert.fail();
    let id = await git.writeBlob(Buffer.from('x'));
    let mode: TreeChange['mode'] = '100644';
    for (let depth = 0; depth < 20; depth += 1) {
      const tree = await git.writeTree(undefined, [{ path, mode, id }]);
      id = tree.kind === 'written' ? tree.id : assert.fail();
      mode = '040000';
    }
    const author = { name: 'A', email: 'a@example.test', seconds: 1, offsetMinutes: 0 };
    const made = { tree: id, parents: [], author, committer: author, message: 'deep' };
    const ref = branchRef(parseBranchName('main') ?? assert.fail());
    await changeRefs(services.forge.ports, {
      repositoryId: git.id,
      refs: [{ ref, old: noObject, new: await git.writeCommit(made) }],
      now: services.forge.clock.now(),
    });
    await assert.rejects(
      updated({ S3Bucket: 'ada.deep', S3Key: '.zip' }),
      recorded('EntityTooLarge', tooLarge),
    );
  });

  test('is refused, and not as a fault, when the repository goes or git is busy meanwhile', async () => {
    for (const [thrown, expected] of [
      [new GitError('missing-repository', 'gone'), { message: noBucket.message }],
      [new GitError('missing-object', 'gone'), { message: noBucket.message }],
      [
        new GitError('limit', 'too much'),
        { message: recorded('EntityTooLarge', tooLarge).message },
      ],
      [new GitError('unavailable', 'restarting'), { code: 'ServiceException', status: 503 }],
    ] as const) {
      const code = createRepositoryCode(services.forge.ports);
      const failing: RepositoryCode = {
        ...code,
        read: async () => ({
          kind: 'folder',
          files: [{ path: 'a', kind: 'file', read: () => Promise.reject(thrown) }],
        }),
      };
      const objects = repositoryObjects(failing, undefined);
      const object = await objects.open({ bucket: 'ada.gone', key: 'code.zip' });
      const content = object.kind === 'object' ? object.content : assert.fail();
      await assert.rejects(Array.fromAsync(content), expected);
    }
  });

  test('is refused when too many archives are fetched at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const fetching = Array.from({ length: 4 }, () =>
      services.functions.ports.code.whileFetching(() => promise),
    );
    const source = { S3Bucket: 'ada.versions', S3Key: 'code.zip' };
    await assert.rejects(updated(source), {
      name: 'TooManyRequestsException',
      message: 'Too many archives are being fetched. Try again later.',
    });
    resolve();
    await Promise.all(fetching);
    assert.ok(await updated(source));
  });
});
