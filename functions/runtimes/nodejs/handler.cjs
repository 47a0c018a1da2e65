// @ts-check
/** Finds the function that a handler setting like `folder/file.name` means. */
'use strict';

const path = require('node:path');
const fs = require('node:fs');
const { pathToFileURL } = require('node:url');
const settings = require('./settings.cjs');
const { failures } = require('./failures.cjs');
const { findByNodePath } = require('./node-path.cjs');

/**
 * @typedef {(...parameters: any[]) => unknown} UserFunction
 * @typedef {{ call: UserFunction, streaming: boolean, highWaterMark: number | undefined, async: boolean }} Handler
 */

const streamingMark = Symbol.for('aws.lambda.runtime.handler.streaming');
const highWaterMark = Symbol.for('aws.lambda.runtime.handler.streaming.highWaterMark');

/**
 * @param {string} root
 * @param {string} setting
 * @returns {Promise<Handler>}
 */
async function loadHandler(root, setting) {
  if (setting.includes('..')) {
    throw failures.runtime(
      'MalformedHandlerName',
      `'${setting}' is not a valid handler name. Use absolute paths when specifying root directories in handler names.`,
    );
  }
  const base = path.basename(setting);
  const folder = setting.slice(0, setting.indexOf(base));
  const parts = /^([^.]*)\.(.*)$/.exec(base);
  if (parts === null) throw failures.runtime('MalformedHandlerName', 'Bad handler');
  if (settings.globals) provideGlobals();
  findByNodePath();
  const loaded = await load(root, folder, parts[1] ?? '');
  return describe(find(loaded, parts[2] ?? '', setting));
}

function provideGlobals() {
  Reflect.set(globalThis, 'awslambda', {
    /**
     * @param {UserFunction} handler
     * @param {{ highWaterMark?: unknown }} [options]
     */
    streamifyResponse(handler, options) {
      Reflect.set(handler, streamingMark, 'response');
      if (typeof options?.highWaterMark === 'number') {
        Reflect.set(handler, highWaterMark, Math.floor(options.highWaterMark));
      }
      return handler;
    },
    get HttpResponseStream() {
      return require('./response-stream.cjs').HttpResponseStream;
    },
  });
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {string} name
 */
async function load(root, folder, name) {
  try {
    return await loadModule(root, folder, name);
  } catch (error) {
    if (error instanceof SyntaxError) {
      const failure = failures.runtime('UserCodeSyntaxError', String(error));
      failure.stack = error.stack ?? '';
      throw failure;
    }
    if (error instanceof Error && 'code' in error) {
      const hint = missingSdk(error.message);
      if (error.code === 'MODULE_NOT_FOUND') {
        throw failures.runtime('ImportModuleError', `${String(error)}${hint}`);
      }
      if (error.code === 'ERR_MODULE_NOT_FOUND') error.message += hint;
    }
    throw error;
  }
}

/**
 * A hint if the AWS SDK is missing, which AWS's runtimes include.
 * @param {string} message
 */
function missingSdk(message) {
  const name = /Cannot find (?:package|module) '(@aws-sdk\/[\w.-]+)/.exec(message)?.[1];
  return name === undefined
    ? ''
    : `\nTo add it to the runtime, the operator runs: hob runtimes add nodejs ${name}`;
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {string} name
 * @returns {Promise<unknown>}
 */
async function loadModule(root, folder, name) {
  const file = path.resolve(root, folder, name);
  if (fs.existsSync(file)) return require(file);
  const esm = isModuleFolder(path.dirname(file));
  for (const [extension, how] of extensions(esm)) {
    const candidate = file + extension;
    if (!fs.existsSync(candidate)) continue;
    return how === 'require' ? require(candidate) : import(pathToFileURL(candidate).href);
  }
  // Not a file of the function: it may be a package of the function or of a layer.
  return require(require.resolve(name, { paths: [root, path.resolve(root, folder)] }));
}

/**
 * In the order in which they are looked for.
 * @param {boolean} esm
 * @returns {[string, 'require' | 'import'][]}
 */
function extensions(esm) {
  const plain = esm ? 'import' : 'require';
  /** @type {[string, 'require' | 'import'][]} */
  const all = [
    ['.js', plain],
    ['.mjs', 'import'],
    ['.cjs', 'require'],
  ];
  if (settings.typescript) all.push(['.ts', plain], ['.mts', 'import'], ['.cts', 'require']);
  return all;
}

/**
 * Whether the nearest package.json says that plain files are modules.
 * @param {string} folder
 * @returns {boolean}
 */
function isModuleFolder(folder) {
  if (folder.endsWith('/node_modules')) return false;
  const file = path.join(folder, 'package.json');
  if (fs.existsSync(file)) {
    try {
      return JSON.parse(fs.readFileSync(file, 'utf8'))?.type === 'module';
    } catch (error) {
      console.warn(
        `${file} cannot be read, it will be ignored for ES module detection purposes.`,
        error,
      );
      return false;
    }
  }
  return folder !== '/' && isModuleFolder(path.dirname(folder));
}

/**
 * @param {unknown} loaded
 * @param {string} names
 * @param {string} setting
 * @returns {UserFunction}
 */
function find(loaded, names, setting) {
  const found = member(loaded, names) ?? member(member(loaded, 'default'), names);
  if (!found) {
    throw failures.runtime('HandlerNotFound', `${setting} is undefined or not exported`);
  }
  if (!isFunction(found)) {
    throw failures.runtime('HandlerNotFound', `${setting} is not a function`);
  }
  return found;
}

/**
 * @param {unknown} value
 * @returns {value is UserFunction}
 */
function isFunction(value) {
  return typeof value === 'function';
}

/**
 * @param {unknown} value
 * @param {string} names
 */
function member(value, names) {
  return names
    .split('.')
    .reduce((inner, name) => (inner ? Reflect.get(Object(inner), name) : undefined), value);
}

/**
 * @param {UserFunction} call
 * @returns {Handler}
 */
function describe(call) {
  const mark = Reflect.get(call, streamingMark);
  if (mark && mark !== 'response') {
    throw failures.runtime('MalformedStreamingHandler', 'Only response streaming is supported.');
  }
  if (!mark && !settings.callbacks && call.length >= 3) {
    throw failures.runtime(
      'CallbackHandlerDeprecated',
      'Callback handlers are not supported from nodejs24.x on, or with concurrent events. Use an async function that returns its result.',
    );
  }
  const water = Number(Reflect.get(call, highWaterMark));
  return {
    call,
    streaming: Boolean(mark),
    highWaterMark: water > 0 ? water : undefined,
    async: call.constructor?.name === 'AsyncFunction',
  };
}

/**
 * @param {unknown} value
 * @returns {value is PromiseLike<unknown>}
 */
function isPromise(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}

module.exports = { loadHandler, isPromise };
