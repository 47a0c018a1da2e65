import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Interpreter } from './find-interpreters.ts';
import { planRuntime, type InstalledRuntimes, type RuntimePlan } from './runtimes.ts';

const ownNode: Interpreter = { language: 'node', path: '/hob/node', version: '26.1.0' };
const bare: InstalledRuntimes = {
  interpreters: [],
  ownNode,
  overrides: {},
  clients: '/hob/clients',
};

function installed(...interpreters: Interpreter[]): InstalledRuntimes {
  return { ...bare, interpreters };
}

function running(plan: RuntimePlan): Extract<RuntimePlan, { kind: 'runs' }> {
  assert.ok(plan.kind === 'runs', plan.kind === 'cannot-run' ? plan.reason : '');
  return plan;
}

describe('runtimes', () => {
  test('that nothing on the host can run say what to do', () => {
    const reasons: [string, RegExp][] = [
      ['python3.13', /requires Python 3\.8 or later .* Install python3/],
      ['java21', /requires java 21 or later .* Install it/],
      ['ruby3.4', /requires ruby 3\.4 or later/],
      ['dotnet8', /requires dotnet 8 or later/],
      ['cobol', /Unknown runtime cobol/],
    ];
    for (const [runtime, expected] of reasons) {
      const plan = planRuntime({ runtime, handler: 'a.b' }, bare);
      assert.match(plan.kind === 'cannot-run' ? plan.reason : 'it runs', expected);
    }
    const old = planRuntime(
      { runtime: 'java21', handler: 'a' },
      installed({ language: 'java', path: '/usr/lib/jvm/java-17/bin/java', version: '17' }),
    );
    assert.equal(old.kind, 'cannot-run');
    const custom = planRuntime({ runtime: 'provided.al2023', handler: 'x', bootstraps: [] }, bare);
    assert.deepEqual(custom, {
      kind: 'cannot-run',
      reason: "Couldn't find valid bootstrap(s): [/var/task/bootstrap /opt/bootstrap]",
    });
  });

  test('of Node use the Node of the same number, or Hob’s own and say so', () => {
    const node22 = { language: 'node', path: '/usr/bin/node', version: '22.4.1' } as const;
    const use = { runtime: 'nodejs22.x', handler: 'index.handler' };
    const exact = running(planRuntime(use, installed(node22)));
    assert.equal(exact.description, 'Node.js 22.4.1 (/usr/bin/node)');
    assert.deepEqual(exact.command, ['/var/lang/bin/node', '/var/runtime/bootstrap.cjs']);
    assert.deepEqual(exact.mounts, [
      { from: '/hob/clients/nodejs', to: '/var/runtime' },
      { from: '/usr/bin/node', to: '/var/lang/bin/node' },
    ]);
    assert.equal(exact.bundledRuntimeInterfaceClient, true);
    const other = running(planRuntime({ ...use, runtime: 'nodejs20.x' }, installed(node22)));
    assert.equal(other.description, 'Node.js 26.1.0 (/hob/node), as there is no Node.js 20');
    // The client does not run on such an old one.
    const old = { language: 'node', path: '/usr/bin/node', version: '16.20.0' } as const;
    assert.match(
      running(planRuntime({ ...use, runtime: 'nodejs16.x' }, installed(old))).description,
      /26\.1/,
    );
  });

  test('of Python use the nearest available, and a chosen one before all', () => {
    const python = { language: 'python', path: '/usr/bin/python3.11', version: '3.11' } as const;
    const use = { runtime: 'python3.13', handler: 'app.handler' };
    const plan = running(planRuntime(use, installed(python)));
    assert.equal(plan.description, 'Python 3.11 (/usr/bin/python3.11), as there is no Python 3.13');
    assert.deepEqual(plan.command, ['/usr/bin/python3.11', '/var/runtime/bootstrap.py']);
    const chosen = { language: 'python', path: '/opt/py/bin/python', version: '3.13' } as const;
    const overridden = running(
      planRuntime(use, { ...installed(python), overrides: { 'python3.13': chosen } }),
    );
    assert.equal(overridden.command[0], '/opt/py/bin/python');
    assert.deepEqual(overridden.mounts[1], { from: '/opt/py', to: '/opt/py' });
  });

  test('add what AWS’s environment has', () => {
    const node = running(planRuntime({ runtime: 'nodejs22.x', handler: 'a.b' }, bare)).environment;
    assert.equal(node['AWS_EXECUTION_ENV'], 'AWS_Lambda_nodejs22.x');
    assert.equal(
      node['NODE_PATH'],
      '/opt/nodejs/node22/node_modules:/opt/nodejs/node_modules:/var/runtime/node_modules:/var/runtime:/var/task',
    );
    const custom = running(planRuntime({ runtime: 'provided.al2', handler: 'a' }, bare));
    assert.deepEqual(Object.keys(custom.environment).toSorted(), [
      'AWS_XRAY_CONTEXT_MISSING',
      'LAMBDA_RUNTIME_DIR',
      'LAMBDA_TASK_ROOT',
      'LANG',
      'LD_LIBRARY_PATH',
      'PATH',
      'TZ',
    ]);
    const python = installed({ language: 'python', path: '/usr/bin/python3', version: '3.12' });
    const { environment } = running(planRuntime({ runtime: 'python3.12', handler: 'a.b' }, python));
    assert.deepEqual(
      [
        environment['PYTHONPATH'],
        environment['LC_CTYPE'],
        environment['SHLVL'],
        environment['PWD'],
      ],
      ['/var/runtime', 'C.UTF-8', '0', '/var/task'],
    );
  });

  test('of other languages start the runtime interface client of AWS in the package', () => {
    const all = installed(
      { language: 'java', path: '/usr/lib/jvm/java-21/bin/java', version: '21' },
      { language: 'ruby', path: '/usr/bin/ruby3.4', version: '3.4' },
      { language: 'dotnet', path: '/usr/share/dotnet/dotnet', version: '8.0.1' },
    );
    const commands = (
      [
        ['java21', 'a.B::c'],
        ['ruby3.4', 'f.h'],
        ['dotnet8', 'A::B.C::D'],
        ['dotnet8', 'Whole'],
        ['go1.x', 'main'],
        ['provided.al2023', 'x'],
      ] as const
    ).map(([runtime, handler]) =>
      running(planRuntime({ runtime, handler }, all)).command.join(' '),
    );
    assert.match(commands[0] ?? '', /java -cp \/var\/task:.*AWSLambda a\.B::c$/);
    assert.match(commands[1] ?? '', /ruby3\.4 -r aws_lambda_ric .* f\.h$/);
    assert.match(commands[2] ?? '', /exec --depsfile \/var\/task\/A\.deps\.json .* A::B\.C::D$/);
    assert.equal(commands[3], '/usr/share/dotnet/dotnet /var/task/Whole.dll');
    assert.equal(commands[4], '/var/task/main');
    assert.equal(commands[5], '/var/task/bootstrap');
  });

  test('of one’s own may come from a layer, and any may be wrapped', () => {
    const use = { runtime: 'provided.al2', handler: 'a' };
    const layered = planRuntime({ ...use, bootstraps: ['/opt/bootstrap'] }, bare);
    assert.deepEqual(running(layered).command, ['/opt/bootstrap']);
    const wrapped = planRuntime({ ...use, wrapper: '/opt/wrapper' }, bare);
    assert.deepEqual(running(wrapped).command, ['/opt/wrapper', '/var/task/bootstrap']);
  });
});
