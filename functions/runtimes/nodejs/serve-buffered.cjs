// @ts-check
/** Passes events to a handler that returns one value. */
'use strict';

const settings = require('./settings.cjs');
const { contextOf, setTrace } = require('./context.cjs');
const { currentEvent, reportFailure } = require('./process.cjs');
const { failures } = require('./failures.cjs');
const { isPromise } = require('./handler.cjs');
const { whenWritten } = require('./output.cjs');

/**
 * @typedef {InstanceType<typeof import('./runtime-connection.cjs').RuntimeConnection>} RuntimeConnection
 * @typedef {import('./runtime-connection.cjs').Received} Received
 * @typedef {import('./handler.cjs').Handler} Handler
 */

/**
 * @param {RuntimeConnection} connection
 * @param {Handler} handler
 */
function serve(connection, handler) {
  connection.start((received) => {
    const requestId = received.headers.get('lambda-runtime-aws-request-id') ?? '';
    const tenantId = received.headers.get('lambda-runtime-aws-tenant-id');
    currentEvent.run({ requestId, tenantId }, () => {
      setTrace(received.headers);
      work(new InvocationResponse(connection, requestId), handler, received);
    });
  });
}

/**
 * @param {InvocationResponse} answer
 * @param {Handler} handler
 * @param {Received} received
 */
function work(answer, handler, received) {
  currentEvent.setIdle(() => answer.whenIdle(handler.async));
  try {
    const event = JSON.parse(received.body.toString('utf8'));
    const context = contextOf(received.headers);
    const result = settings.callbacks
      ? handler.call(event, answer.addCallbacks(context), answer.callback)
      : handler.call(event, context);
    if (isPromise(result)) result.then(answer.succeed, answer.fail);
    else if (!settings.callbacks) answer.succeed(result);
  } catch (error) {
    answer.fail(error);
  }
}

/** The response to an event; further ones are ignored. */
class InvocationResponse {
  #connection;
  #requestId;
  #decided = false;
  /** A handler may continue after its callback: the response waits until the event loop is empty. */
  #waits = true;

  /**
   * @param {RuntimeConnection} connection
   * @param {string} requestId
   */
  constructor(connection, requestId) {
    this.#connection = connection;
    this.#requestId = requestId;
  }

  succeed = (/** @type {unknown} */ result) => {
    if (this.#decided) return;
    this.#decided = true;
    this.#respond(result);
  };

  fail = (/** @type {unknown} */ error) => {
    if (this.#decided) return;
    this.#decided = true;
    this.#refuse(error ?? 'handled');
  };

  callback = (/** @type {unknown} */ error, /** @type {unknown} */ result) => {
    if (error !== undefined && error !== null) {
      this.fail(error);
    } else if (!this.#waits) {
      this.succeed(result);
    } else if (!this.#decided) {
      this.#decided = true;
      currentEvent.setIdle(() => this.#respond(result));
    }
  };

  /** @param {Record<string, unknown>} context */
  addCallbacks(context) {
    const answer = this;
    return Object.assign(
      {
        get callbackWaitsForEmptyEventLoop() {
          return answer.#waits;
        },
        set callbackWaitsForEmptyEventLoop(waits) {
          answer.#waits = waits;
        },
        succeed: this.succeed,
        fail: this.fail,
        done: (/** @type {unknown} */ error, /** @type {unknown} */ result) => {
          if (error !== undefined && error !== null) this.fail(error);
          else this.succeed(result);
        },
      },
      context,
    );
  }

  /**
   * Nothing in the process can answer any more.
   * @param {boolean} promised whether the handler has promised an answer
   */
  whenIdle(promised) {
    if (promised) this.fail(failures.runtime('NodeJsExit', pending));
    else this.succeed(null);
  }

  /** @param {unknown} result */
  #respond(result) {
    let text;
    try {
      text = JSON.stringify(result === undefined ? null : result) ?? 'null';
    } catch {
      const message = 'Unable to stringify response body';
      this.#refuse(
        settings.callbacks ? new Error(message) : failures.runtime('JSONStringifyError', message),
      );
      return;
    }
    currentEvent.clearIdle();
    whenWritten(() => this.#connection.respond(this.#requestId, text));
  }

  /** @param {unknown} error */
  #refuse(error) {
    currentEvent.clearIdle();
    reportFailure('Invoke Error', error);
    whenWritten(() => this.#connection.fail(this.#requestId, failures.payload(error)));
  }
}

const pending =
  "The event loop is empty, but the handler's promise was neither resolved nor rejected.";

module.exports = { serve };
