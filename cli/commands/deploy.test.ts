import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createTestFunctions, type TestFunctions } from '#functions/testing/test-functions.ts';

import { runClient, type ClientEnvironment, type ClientRun } from '../testing/run-client.ts';

const template = (more = '', code = 'code'): string => `Resources:
  Greet:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      Handler: index.handler
      CodeUri: ${code}
${more}`;

describe('deploy', () => {
  let functions: TestFunctions;
  let url: string;
  before(async () => {
    functions = await createTestFunctions();
    url = await functions.listen();
  });
  after(() => functions.close());

  const code = { 'code/index.mjs': 'export const handler = async () => 1;' };

  /** Not on a terminal unless something is typed; `[]` keeps it out of a built client, which has no service here. */
  async function deploy(
    files: ClientEnvironment['files'],
    args: readonly string[] = [],
    more: ClientEnvironment = {},
  ): Promise<ClientRun> {
    const environment = { AWS_ENDPOINT_URL: url };
    // The clock of these clients stands still, so that their signatures have expired.
    const all = ['--no-sign-request', 'functions', 'deploy', ...args];
    return runClient(all, { files: files ?? {}, environment, network: true, ...more });
  }

  const yes = { typed: ['yes'] };

  test('refuses unknown options, missing templates, problems of templates and missing code', async () => {
    const cases: readonly (readonly [
      ClientEnvironment['files'],
      readonly string[],
      number,
      RegExp,
    ])[] = [
      [{}, ['--nothing'], 252, /Unknown options: --nothing/],
      [{}, [], 255, /There is no template\.yaml, template\.yml, template\.json in /],
      [
        { 'template.yaml': template('      Policies: {}') },
        [],
        255,
        /template\.yaml:8: Resources\./,
      ],
      [{ 'template.yaml': template() }, [], 255, /code: ENOENT/],
      [{ 'template.yaml': template(), code: '' }, [], 255, /code is neither a folder nor a zip/],
    ];
    for (const [files, args, exitCode, message] of cases) {
      const run = await deploy(files, args, yes);
      assert.match(run.stderr, message);
      assert.equal(run.exitCode, exitCode, run.stderr);
    }
  });

  test('shows the plan, and changes nothing before the answer is yes', async () => {
    const secret = '      Environment: { Variables: { TOKEN: hunter2 } }\n      Timeout: 5\n';
    const files = { 'template.yaml': template(`      FunctionName: asked\n${secret}`), ...code };
    const no = await deploy(files, [], { typed: ['no'] });
    assert.equal(no.exitCode, 255);
    assert.match(no.stderr, /asked: create\n/);
    assert.match(no.stderr, /Timeout: 5\n/);
    assert.match(no.stderr, /Environment\.Variables\.TOKEN: \(hidden\)/);
    assert.ok(!no.stderr.includes('hunter2'));
    assert.match(no.stderr, /Deploy\? \[y\/N\] [^]*Nothing was deployed/);
    const name = { FunctionName: 'asked' };
    assert.equal((await functions.call('GetFunctionConfiguration', name)).status, 404);
    const done = await deploy(files, [], yes);
    assert.deepEqual([done.exitCode, done.stdout], [0, 'asked: created\n'], done.stderr);
    const { body } = await functions.call('GetFunctionConfiguration', name);
    assert.deepEqual([body.Timeout, body.Environment.Variables.TOKEN], [5, 'hunter2']);
  });

  test('shows the state of the function on a terminal while it waits, and takes the line away', async () => {
    const files = { 'template.yaml': template('      FunctionName: waits\n'), ...code };
    const release = functions.environments.holdStarts();
    const run = await deploy(files, ['--yes'], { terminal: true, pause: release });
    assert.deepEqual([run.exitCode, run.stdout], [0, 'waits: created\n'], run.stderr);
    const [, ...shown] = run.stderr.split(/\r +\r/);
    assert.deepEqual([shown[0], shown.at(-1)], ['Deploying waits: Pending, 0 s', '']);
    const elsewhere = await deploy({ ...files, 'code/more': '' }, ['--yes'], yes);
    assert.equal(elsewhere.stdout, 'waits: updated\n');
    assert.doesNotMatch(elsewhere.stderr, /Deploying/);
  });

  test('finds nothing to do the second time, without a question', async () => {
    const files = { 'template.yaml': template('      FunctionName: twice\n'), ...code };
    assert.equal((await deploy(files, ['--yes'], yes)).stdout, 'twice: created\n');
    const again = await deploy(files, [], { typed: [] });
    assert.deepEqual([again.exitCode, again.stdout], [0, 'twice: unchanged\n'], again.stderr);
    assert.match(again.stderr, /twice: no change/);
    const changed = { ...files, 'code/run.sh': 'x' };
    const query = await deploy(changed, ['--yes', '--output', 'json'], yes);
    assert.deepEqual(JSON.parse(query.stdout), {
      Functions: [{ FunctionName: 'twice', Result: 'updated' }],
    });
    assert.match(query.stderr, /CodeSha256: \S+ -> \S+/);
  });

  test('says which functions failed and why, and deploys the others', async () => {
    const both = `${template('      FunctionName: works\n')}  Bad:
    Type: AWS::Serverless::Function
    Properties: { FunctionName: broken, Runtime: nodejs24.x, Handler: index.handler, CodeUri: code, Timeout: 9999 }
`;
    const run = await deploy({ 'template.yaml': both, ...code }, ['--yes'], yes);
    assert.equal(run.exitCode, 255);
    assert.match(run.stdout, /works: created\nbroken: failed: .*[Tt]imeout/s);
    assert.match(run.stderr, /The deployment failed: broken/);
    const files = {
      'template.yaml': template('      FunctionName: works\n      Timeout: 4\n'),
      ...code,
    };
    const failure = { code: 'InvalidRuntime', text: 'The runtime is not installed.' } as const;
    functions.environments.failStarts(failure);
    const failed = await deploy(files, ['--yes'], yes);
    functions.environments.failStarts(undefined);
    assert.equal(failed.exitCode, 255);
    const reason = 'works: failed: InvalidRuntime: The runtime is not installed.\n';
    assert.equal(failed.stdout, reason);
  });

  test('takes a folder, a zip file and a role', async () => {
    const files = {
      'here/template.yml': template('      FunctionName: zipped\n', 'app.zip'),
      'here/app.zip': Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64'),
    };
    const role = 'arn:aws:iam::123456789012:role/mine';
    const run = await deploy(files, ['here', '--yes', '--role', role], yes);
    assert.deepEqual([run.exitCode, run.stdout], [0, 'zipped: created\n'], run.stderr);
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'zipped' });
    assert.deepEqual([body.Role, body.CodeSize], [role, 22]);
  });

  describe('on pushes', () => {
    const record = { Repository: 'o/r', Branch: 'main', Folder: 'app' };
    const args = ['functions', 'deploy'];

    test('refuses what names no branch, and options that exclude each other', async () => {
      for (const [more, message] of [
        [['--on-push', 'o/r'], /expected OWNER\/REPO BRANCH/],
        [['--on-push', 'o/r', 'main', 'app'], /with FOLDER before it/],
        [['--remove'], /argument --remove: expected/],
        [['--list', '--remove', 'o/r', 'main'], /exclude each other/],
      ] as const) {
        const run = await runClient([...args, ...more]);
        assert.deepEqual([run.exitCode, run.requests], [252, []]);
        assert.match(run.stderr, message);
      }
    });

    test('warns who can then run code, and asks', async () => {
      const command = [...args, 'app', '--on-push', 'o/r', 'main'];
      const no = await runClient(command, { typed: ['n'] });
      assert.deepEqual([no.exitCode, no.requests], [255, []]);
      assert.match(
        no.stderr,
        /Everyone who may push to main of o\/r [^]*variables[^]*Protect the branch/,
      );
      const run = await runClient(command, { typed: ['y'], answer: () => record });
      assert.deepEqual([run.exitCode, JSON.parse(run.stdout)], [0, record]);
      assert.deepEqual(JSON.parse(run.requests[0]?.body ?? ''), record);
    });

    test('lists all of them, and removes one', async () => {
      const pages = [{ PushDeployments: [record], NextMarker: 'm' }, { PushDeployments: [record] }];
      const run = await runClient([...args, '--list'], {
        answer: (_request, count) => pages[count - 1] ?? {},
      });
      assert.deepEqual(JSON.parse(run.stdout), { PushDeployments: [record, record] });
      assert.match(run.requests[1]?.path ?? '', /Marker=m/);
      const removed = await runClient([...args, '--remove', 'o/r', 'main']);
      assert.equal(removed.exitCode, 0);
      const [request] = removed.requests;
      assert.equal(request?.method, 'DELETE');
      assert.match(request.path, /Repository=o%2Fr&Branch=main$/);
    });
  });

  test('has help', async () => {
    const run = await runClient(['functions', 'deploy', 'help']);
    assert.match(run.stdout, /hob functions deploy \[FOLDER\][^]*--yes/);
  });
});
