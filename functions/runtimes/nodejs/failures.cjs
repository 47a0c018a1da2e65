// @ts-check
/** How errors look: as the answer to an event, and in the log. */
'use strict';

/** @typedef {{ errorType: string, errorMessage: string, trace: string[] }} ErrorPayload */

/** Errors of this program rather than of the function. Their names are part of the answer. */
class RuntimeFailure extends Error {
  /**
   * @param {string} type
   * @param {string} message
   */
  constructor(type, message) {
    super(message);
    // Before anything reads `stack`, whose first line has the name.
    Object.defineProperty(this, 'name', { value: `Runtime.${type}`, configurable: true });
    Error.captureStackTrace(this, RuntimeFailure);
  }
}

class UnhandledPromiseRejection extends RuntimeFailure {
  /**
   * @param {unknown} reason
   * @param {Promise<unknown>} promise
   */
  constructor(reason, promise) {
    super('UnhandledPromiseRejection', textOf(reason));
    this.reason = reason;
    this.promise = promise;
  }
}

/**
 * @param {unknown} error
 * @returns {ErrorPayload}
 */
function payload(error) {
  try {
    if (looksLikeError(error)) {
      return {
        errorType: escaped(error.name),
        errorMessage: escaped(error.message),
        trace: escaped(error.stack ?? '').split('\n'),
      };
    }
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  } catch {
    return {
      errorType: 'handled',
      errorMessage:
        'callback called with Error argument, but there was a problem while retrieving one or more of its message, name, and stack',
      trace: [],
    };
  }
}

/**
 * An error for a line of the text log: with its further properties, and the leading tab that readers of such logs expect.
 * @param {Error} error
 */
function logLine(error) {
  try {
    return `\t${JSON.stringify(error, (_, value) => withHidden(value))}`;
  } catch {
    return `\t${JSON.stringify(payload(error))}`;
  }
}

/** @param {unknown} value */
function withHidden(value) {
  if (!(value instanceof Error)) return value;
  const code = 'code' in value ? value.code : undefined;
  /** @type {Record<string, unknown>} */
  const whole = { errorType: value.name, errorMessage: value.message, code };
  Object.assign(whole, value);
  if (typeof value.stack === 'string') whole['stack'] = value.stack.split('\n');
  return whole;
}

/**
 * @param {unknown} error
 * @returns {error is Error}
 */
function looksLikeError(error) {
  return (
    error instanceof Error ||
    (typeof error === 'object' &&
      error !== null &&
      ['name', 'message', 'stack'].every(
        (key) => typeof Reflect.get(error, key) === 'string' && Reflect.get(error, key) !== '',
      ))
  );
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/\x7F/g, '%7F');
}

/** @param {unknown} reason */
function textOf(reason) {
  try {
    return String(reason);
  } catch {
    return typeof reason;
  }
}

const failures = {
  payload,
  logLine,
  /**
   * @param {string} type
   * @param {string} message
   */
  runtime: (type, message) => new RuntimeFailure(type, message),
  /**
   * @param {unknown} reason
   * @param {Promise<unknown>} promise
   */
  unhandledRejection: (reason, promise) => new UnhandledPromiseRejection(reason, promise),
};

module.exports = { failures };
