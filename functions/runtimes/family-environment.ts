/** The variables whose values follow from the runtime alone, as the vendor's environment has them. */
export function familyEnvironment(runtime: string): Readonly<Record<string, string>> {
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
