// @ts-check
/** The console of a function: each line has a timestamp, the request id and the level. */
'use strict';

const { format } = require('node:util');
const { writeSync } = require('node:fs');

/**
 * @typedef {{ requestId: string, tenantId: string | undefined }} Working
 * @typedef {(level: string, parameters: unknown[]) => string} Formatter
 */

/** From the least severe; FATAL is always written. */
const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/**
 * @param {{ logFormat: string, logLevel: string }} settings
 * @param {() => Working | undefined} working
 */
function patchConsole(settings, working) {
  const lineOf = settings.logFormat === 'JSON' ? jsonLine(working) : textLine(working);
  const least = Math.max(0, levels.indexOf(settings.logLevel));
  for (const level of levels) {
    const written = level === 'FATAL' || levels.indexOf(level) >= least;
    Reflect.set(
      console,
      level.toLowerCase(),
      written
        ? (/** @type {unknown[]} */ ...parameters) => print(lineOf(level, parameters))
        : nothing,
    );
  }
  console.log = console.info;
}

/**
 * @param {() => Working | undefined} working
 * @returns {Formatter}
 */
function textLine(working) {
  return (level, parameters) =>
    `${new Date().toISOString()}\t${working()?.requestId}\t${level}\t${format(...parameters)}`;
}

/**
 * @param {() => Working | undefined} working
 * @returns {Formatter}
 */
function jsonLine(working) {
  return (level, parameters) => {
    const now = working();
    /** @type {Record<string, unknown>} */
    const line = { timestamp: new Date().toISOString(), level, requestId: now?.requestId };
    if (now?.tenantId) line['tenantId'] = now.tenantId;
    if (parameters.length === 1) return oneValue(line, parameters[0]);
    line['message'] = format(...parameters);
    const error = parameters.find((parameter) => parameter instanceof Error);
    if (error instanceof Error) Object.assign(line, describedError(error));
    return JSON.stringify(line);
  };
}

/**
 * A single value keeps its type, so that it can be searched for.
 * @param {Record<string, unknown>} line
 * @param {unknown} value
 */
function oneValue(line, value) {
  try {
    return JSON.stringify({ ...line, message: value }, (_, part) =>
      part instanceof Error ? Object.assign(describedError(part), part) : part,
    );
  } catch {
    return JSON.stringify({ ...line, message: format(value) });
  }
}

/** @param {Error} error */
function describedError(error) {
  return {
    errorType: error.constructor?.name ?? 'UnknownError',
    errorMessage: error.message,
    stackTrace: typeof error.stack === 'string' ? error.stack.split('\n') : [],
  };
}

/**
 * One line for one call: a line feed inside would look like the end. Written before the call returns, so that whatever is
 * logged is out before the response is.
 * @param {string} line
 */
function print(line) {
  let rest = Buffer.from(`${line.replace(/\n/g, '\r')}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') return;
      // The reader of the output is slow.
      Atomics.wait(sleeper, 0, 0, 1);
    }
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function nothing() {}

module.exports = { patchConsole };
