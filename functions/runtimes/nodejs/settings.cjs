// @ts-check
/** What the environment says, read once: the function's own code may change it. */
'use strict';

const { env } = process;

const socketPath = env['HOB_RUNTIME_SOCKET'];
delete env['HOB_RUNTIME_SOCKET'];

/** Where the Runtime API is: the socket if there is one, a connection to it costs half of one over TCP. */
const address =
  socketPath === undefined || socketPath === ''
    ? hostAndPort(env['AWS_LAMBDA_RUNTIME_API'] ?? '')
    : { path: socketPath };

/** @param {string} text */
function hostAndPort(text) {
  const colon = text.lastIndexOf(':');
  return colon < 0
    ? { host: text, port: 80 }
    : { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

const generation = Number(/nodejs(\d+)/.exec(env['AWS_EXECUTION_ENV'] ?? '')?.[1] ?? '22');

const concurrency = Math.max(1, Math.floor(Number(env['AWS_LAMBDA_MAX_CONCURRENCY'])) || 1);

module.exports = {
  address,
  handler: env['_HANDLER'] ?? '',
  taskRoot: env['LAMBDA_TASK_ROOT'] || process.cwd(),
  /** How many events may be worked on at a time. */
  concurrency,
  logFormat: env['AWS_LAMBDA_LOG_FORMAT']?.toUpperCase() === 'JSON' ? 'JSON' : 'TEXT',
  logLevel: env['AWS_LAMBDA_LOG_LEVEL']?.toUpperCase() ?? 'TRACE',
  /** From nodejs24.x on, and with several events at a time, there are no callbacks, and what a plain function returns is its answer. */
  callbacks: generation < 24 && concurrency === 1,
  typescript: generation >= 24 && Number(process.versions.node.split('.')[0]) >= 24,
  globals: !['1', 'true'].includes(env['AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA'] ?? ''),
};
