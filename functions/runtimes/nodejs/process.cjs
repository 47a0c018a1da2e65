// @ts-check
/** The singletons of the process: its connections, the current event, its console. */
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const settings = require('./settings.cjs');
const { patchConsole } = require('./console.cjs');
const { RuntimeConnection } = require('./runtime-connection.cjs');
const { failures } = require('./failures.cjs');

/**
 * @typedef {{ requestId: string, tenantId: string | undefined }} Working
 * @typedef {InstanceType<typeof RuntimeConnection>} Connection
 */

const single = settings.concurrency === 1;
/** @type {AsyncLocalStorage<Working>} */
const storage = new AsyncLocalStorage();
/** @type {Working | undefined} */
let working;
/** @type {() => void} */
let idle = nothing;
/** @type {Connection[] | undefined} */
let opened;

/** The event that this part of the program works on: one for the process, or one for each asynchronous context where several events are processed at a time. */
const currentEvent = {
  /**
   * Undefined between events.
   * @returns {Working | undefined}
   */
  working: () => (single ? working : storage.getStore()),
  /**
   * Calls `work` with `next` as the current event.
   * @param {Working} next
   * @param {() => void} work
   */
  run(next, work) {
    if (single) {
      working = next;
      work();
    } else {
      storage.run(next, work);
    }
  },
  /**
   * What happens when nothing is left to do in the process although the event is not answered.
   * @param {() => void} listener
   */
  setIdle(listener) {
    idle = listener;
  },
  clearIdle() {
    idle = nothing;
  },
  whenIdle() {
    const listener = idle;
    idle = nothing;
    listener();
  },
};

/** Connections to the Runtime API: one for each event that may be worked on at a time. */
function connections() {
  opened ??= Array.from(
    { length: settings.concurrency },
    () => new RuntimeConnection(settings.address, single),
  );
  return opened;
}

function replaceConsole() {
  patchConsole(settings, currentEvent.working);
}

/**
 * @param {string} title
 * @param {unknown} error
 */
function reportFailure(title, error) {
  const whole = error instanceof Error ? error : new Error(String(error));
  if (settings.logFormat === 'JSON') console.error(whole);
  else console.error(title, failures.logLine(whole));
}

function nothing() {}

module.exports = { connections, currentEvent, replaceConsole, reportFailure };
