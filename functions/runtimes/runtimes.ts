import { dirname } from 'node:path';

import type { Mount } from '../launcher/launcher.ts';
import { atLeast, sameVersion, type Interpreter, type Language } from './find-interpreters.ts';
import type { PackagedRuntime } from './runtime-packages.ts';

export interface InstalledRuntimes {
  readonly interpreters: readonly Interpreter[];
  /** The Node that runs Hob: there is always one. */
  readonly ownNode: Interpreter;
  /** Settings that name the program for a runtime; they override what is found. */
  readonly overrides: Readonly<Record<string, Interpreter>>;
  /** The folder of this file on the host: the bundled runtime interface clients are below it. */
  readonly clients: string;
  /** Directories with the client of a runtime and the packages added to it. */
  readonly packaged?: Partial<Record<PackagedRuntime, string>>;
}

interface RuntimeUse {
  readonly runtime: string;
  readonly handler: string;
  /** The function's variable AWS_LAMBDA_EXEC_WRAPPER: a program that is started instead of the real one. */
  readonly wrapper?: string;
  /** Which of these executable files the code and its layers have, of those that `bootstrapFiles` names. */
  readonly bootstraps?: readonly string[];
}

export type RuntimePlan =
  | {
      readonly kind: 'runs';
      readonly command: readonly [string, ...string[]];
      /** What a runtime adds to the environment; the function's own variables override it. */
      readonly environment: Readonly<Record<string, string>>;
      /** In addition to code and layers. */
      readonly mounts: readonly Mount[];
      /** It speaks through the Unix socket of the bundled runtime interface client (RIC); else it needs the listener on an address of its own. */
      readonly bundledRuntimeInterfaceClient: boolean;
      /** A description of the program, for operators. */
      readonly description: string;
    }
  | {
      readonly kind: 'cannot-run';
      /** What is missing and what to do, for operators. */
      readonly reason: string;
    };

/** Where the program of a custom runtime may be, in the order in which it is looked for. */
const bootstrapFiles = ['/var/task/bootstrap', '/opt/bootstrap'] as const;

/** How a runtime's functions are started on this host, or why they cannot be. */
export function planRuntime(use: RuntimeUse, installed: InstalledRuntimes): RuntimePlan {
  const plan = unwrapped(use, installed);
  if (plan.kind === 'cannot-run' || use.wrapper === undefined || use.wrapper === '') return plan;
  return { ...plan, command: [use.wrapper, ...plan.command] };
}

function unwrapped(use: RuntimeUse, installed: InstalledRuntimes): RuntimePlan {
  const family = /^(nodejs|python|provided|java|ruby|dotnet|go)/.exec(use.runtime)?.[1];
  switch (family) {
    case 'nodejs':
      return nodePlan(use, installed);
    case 'python':
      return pythonPlan(use, installed);
    case 'provided':
      return customPlan(use);
    case 'go':
      return runs(use, [`/var/task/${use.handler}`], [], 'the function itself');
    case 'java':
      return awsClientPlan(use, installed, 'java', javaVersion(use.runtime));
    case 'ruby':
    case 'dotnet':
      return awsClientPlan(use, installed, family, /[\d.]+/.exec(use.runtime)?.[0] ?? '');
    case undefined:
    default:
      return { kind: 'cannot-run', reason: `Unknown runtime ${use.runtime}.` };
  }
}

function nodePlan(use: RuntimeUse, installed: InstalledRuntimes): RuntimePlan {
  const major = /\d+/.exec(use.runtime)?.[0] ?? '';
  const suitable = candidates('node', use, installed).filter((node) => atLeast(node, '18'));
  const exact = suitable.find((node) => sameVersion(node, major));
  const node = exact ?? installed.ownNode;
  // A single file, mounted where functions expect it: its directory on the host may be closed to them.
  const interpreter = '/var/lang/bin/node';
  return bundled(
    use,
    [interpreter, '/var/runtime/bootstrap.cjs'],
    [
      { from: clientOf(installed, 'nodejs'), to: '/var/runtime' },
      { from: node.path, to: interpreter },
    ],
    `Node.js ${node.version} (${node.path})${exact === undefined ? `, as there is no Node.js ${major}` : ''}`,
  );
}

function pythonPlan(use: RuntimeUse, installed: InstalledRuntimes): RuntimePlan {
  const version = use.runtime.replace('python', '');
  const suitable = candidates('python', use, installed).filter((python) => atLeast(python, '3.8'));
  const exact = suitable.find((python) => sameVersion(python, version));
  const python = exact ?? suitable[0];
  if (python === undefined) {
    return {
      kind: 'cannot-run',
      reason: `${use.runtime} requires Python 3.8 or later on this host. Install python3 and restart Hob.`,
    };
  }
  return bundled(
    use,
    [python.path, '/var/runtime/bootstrap.py'],
    [{ from: clientOf(installed, 'python'), to: '/var/runtime' }, ...folderOf(python)],
    `Python ${python.version} (${python.path})${exact === undefined ? `, as there is no Python ${version}` : ''}`,
  );
}

function clientOf({ clients, packaged }: InstalledRuntimes, runtime: PackagedRuntime): string {
  return packaged?.[runtime] ?? `${clients}/${runtime}`;
}

function customPlan(use: RuntimeUse): RuntimePlan {
  const bootstrap = bootstrapFiles.find(
    (file) => use.bootstraps === undefined || use.bootstraps.includes(file),
  );
  if (bootstrap === undefined) {
    return {
      kind: 'cannot-run',
      reason: `Couldn't find valid bootstrap(s): [${bootstrapFiles.join(' ')}]`,
    };
  }
  return runs(use, [bootstrap], [], `the function's own ${bootstrap}`);
}

/** Languages without a client of ours: the function's package contains AWS's. */
function awsClientPlan(
  use: RuntimeUse,
  installed: InstalledRuntimes,
  language: 'java' | 'ruby' | 'dotnet',
  version: string,
): RuntimePlan {
  const interpreter = candidates(language, use, installed).find((found) => atLeast(found, version));
  if (interpreter === undefined) {
    return {
      kind: 'cannot-run',
      reason: `${use.runtime} requires ${language} ${version} or later on this host. Install it and restart Hob, or set HOB_RUNTIMES.`,
    };
  }
  return runs(
    use,
    [interpreter.path, ...awsClients[language](use.handler)],
    folderOf(interpreter),
    `${language} ${interpreter.version} (${interpreter.path}) and the runtime client in the function's package`,
  );
}

function candidates(
  language: Language,
  use: RuntimeUse,
  installed: InstalledRuntimes,
): Interpreter[] {
  const chosen = installed.overrides[use.runtime];
  if (chosen !== undefined) return [chosen];
  return installed.interpreters.filter((interpreter) => interpreter.language === language);
}

function bundled(
  use: RuntimeUse,
  command: readonly [string, ...string[]],
  mounts: readonly Mount[],
  description: string,
): RuntimePlan {
  const environment = familyEnvironment(use.runtime);
  return {
    kind: 'runs',
    command,
    environment,
    mounts,
    bundledRuntimeInterfaceClient: true,
    description,
  };
}

function runs(
  use: RuntimeUse,
  command: readonly [string, ...string[]],
  mounts: readonly Mount[],
  description: string,
): RuntimePlan {
  const environment = familyEnvironment(use.runtime);
  return {
    kind: 'runs',
    command,
    environment,
    mounts,
    bundledRuntimeInterfaceClient: false,
    description,
  };
}

/** The host's own folders are in every sandbox; an interpreter elsewhere brings the folder that it was installed in. */
function folderOf(interpreter: Interpreter): Mount[] {
  if (/^\/(usr|bin|lib|lib64)\//.test(interpreter.path)) return [];
  const prefix = dirname(dirname(interpreter.path));
  return [{ from: prefix, to: prefix }];
}

/** `java8.al2`, `java21`: the first versions were called 1.8. */
function javaVersion(runtime: string): string {
  return /\d+/.exec(runtime)?.[0] ?? '';
}

const awsClients: Readonly<
  Record<'java' | 'ruby' | 'dotnet', (handler: string) => readonly string[]>
> = {
  java: (handler) => [
    '-cp',
    '/var/task:/var/task/lib/*:/opt/java/lib/*',
    'com.amazonaws.services.lambda.runtime.api.client.AWSLambda',
    handler,
  ],
  ruby: (handler) => [
    '-r',
    'aws_lambda_ric',
    '-e',
    'AwsLambdaRIC::Bootstrap.start(handler: ARGV.first)',
    handler,
  ],
  dotnet: (handler) => {
    const assembly = handler.split('::')[0] ?? handler;
    // A handler that names nothing but an assembly is a whole program, with the client in it.
    if (!handler.includes('::')) return [`/var/task/${assembly}.dll`];
    return [
      'exec',
      '--depsfile',
      `/var/task/${assembly}.deps.json`,
      '--runtimeconfig',
      `/var/task/${assembly}.runtimeconfig.json`,
      '/var/task/Amazon.Lambda.RuntimeSupport.dll',
      handler,
    ];
  },
};

/** The variables that depend only on the runtime, as on AWS. */
function familyEnvironment(runtime: string): Readonly<Record<string, string>> {
  if (runtime.startsWith('provided')) return everywhere;
  return {
    ...everywhere,
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    PWD: taskRoot,
    SHLVL: '0',
    ...languageVariables(runtime),
  };
}

function languageVariables(runtime: string): Readonly<Record<string, string>> {
  const version = /[\d.]*\d/.exec(runtime)?.[0] ?? '';
  if (runtime.startsWith('nodejs')) {
    return {
      NODE_PATH: `/opt/nodejs/node${version}/node_modules:/opt/nodejs/node_modules:/var/runtime/node_modules:/var/runtime:${taskRoot}`,
    };
  }
  if (runtime.startsWith('python')) return { PYTHONPATH: '/var/runtime', LC_CTYPE: 'C.UTF-8' };
  if (runtime.startsWith('ruby')) {
    return {
      GEM_PATH: `${taskRoot}/vendor/bundle/ruby/${version}.0:/opt/ruby/gems/${version}.0`,
      RUBYLIB: `${taskRoot}:/opt/ruby/lib`,
    };
  }
  return {};
}

const taskRoot = '/var/task';

const everywhere = {
  AWS_XRAY_CONTEXT_MISSING: 'LOG_ERROR',
  LAMBDA_TASK_ROOT: taskRoot,
  LAMBDA_RUNTIME_DIR: '/var/runtime',
  LANG: 'en_US.UTF-8',
  LD_LIBRARY_PATH:
    '/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib',
  PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
  TZ: ':UTC',
};
