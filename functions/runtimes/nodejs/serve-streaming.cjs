// @ts-check
/** Passes events to a handler that streams its response. */
'use strict';

const settings = require('./settings.cjs');
const { contextOf, setTrace } = require('./context.cjs');
const { currentEvent, reportFailure } = require('./process.cjs');
const { isPromise } = require('./handler.cjs');
const { ResponseStream } = require('./response-stream.cjs');

/**
 * @typedef {InstanceType<typeof import('./runtime-connection.cjs').RuntimeConnection>} RuntimeConnection
 * @typedef {import('./runtime-connection.cjs').Received} Received
 * @typedef {InstanceType<typeof ResponseStream>} Stream
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
      work(connection, requestId, handler, received).catch(raise);
    });
  });
}

/**
 * @param {RuntimeConnection} connection
 * @param {string} requestId
 * @param {Handler} handler
 * @param {Received} received
 */
async function work(connection, requestId, handler, received) {
  const stream = new ResponseStream(connection, requestId, handler.highWaterMark);
  // The handler's own promise reports an error of the stream.
  stream.on('error', () => {});
  currentEvent.setIdle(() => fail(stream, 'Response stream is not finished.'));
  try {
    const context = contextOf(received.headers);
    if (settings.callbacks) context['callbackWaitsForEmptyEventLoop'] = true;
    const result = handler.call(JSON.parse(received.body.toString('utf8')), stream, context);
    if (!isPromise(result)) {
      fail(stream, 'Streaming does not support non-async handlers.');
    } else if ((await result) !== undefined) {
      console.warn('Streaming handlers ignore return values.');
    }
  } catch (error) {
    fail(stream, error);
  }
  await stream.taken;
  currentEvent.clearIdle();
  connection.poll();
}

/**
 * An uncaught exception, which ends the process as one of the handler does.
 * @param {unknown} error
 */
function raise(error) {
  process.nextTick(() => {
    throw error;
  });
}

/**
 * @param {Stream} stream
 * @param {unknown} error
 */
function fail(stream, error) {
  reportFailure('Invoke Error', error);
  stream.fail(error);
}

module.exports = { serve };
