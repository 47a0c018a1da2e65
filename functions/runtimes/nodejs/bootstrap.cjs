// @ts-check
/**
 * Runs a function written for Node: loads its handler, then hands it one event after another. It stands in the sandbox at
 * /var/runtime, runs on Node 18 and later, and uses nothing that does not come with Node.
 */
'use strict';

const settings = require('./settings.cjs');
const { connections, currentEvent, replaceConsole, reportFailure } = require('./process.cjs');
const { loadHandler } = require('./handler.cjs');
const { failures } = require('./failures.cjs');
const { watchOutput, whenWritten } = require('./output.cjs');
const { report } = require('./runtime-connection.cjs');

let ending = false;
replaceConsole();
watchOutput();

process.on('uncaughtException', (error) => endWith('Uncaught Exception', error, 129));
process.on('unhandledRejection', (reason, promise) => {
  endWith('Unhandled Promise Rejection', failures.unhandledRejection(reason, promise), 128);
});
process.on('beforeExit', () => currentEvent.whenIdle());

start().catch((error) => endWith('Uncaught Exception', error, 129));

async function start() {
  try {
    const handler = await loadHandler(settings.taskRoot, settings.handler);
    // Streams are rarely wanted: their code is loaded when they are.
    const { serve } = handler.streaming
      ? require('./serve-streaming.cjs')
      : require('./serve-buffered.cjs');
    // Each polls for its first event, which tells the service that the function is ready.
    for (const connection of connections()) serve(connection, handler);
  } catch (error) {
    endWith('Uncaught Exception', error, 129);
  }
}

/**
 * Reports an error, as the response to the current event or else as an init error, and exits.
 * @param {string} title
 * @param {unknown} error
 * @param {number} status
 */
function endWith(title, error, status) {
  // A failure during exit, or a second one: the first has already been reported.
  if (ending) process.exit(status);
  ending = true;
  reportFailure(title, error);
  const { requestId } = currentEvent.working() ?? {};
  report(settings.address, requestId, failures.payload(error), () => {
    whenWritten(() => process.exit(status));
  });
}
