// @ts-check
/** What the function itself writes to standard output and error. */
'use strict';

/** @type {Set<NodeJS.WriteStream>} */
const used = new Set();

/** Remembers which streams are used at all: just to look at one costs milliseconds at the start. */
function watchOutput() {
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    const property = Object.getOwnPropertyDescriptor(process, name);
    const open = property?.get?.bind(process);
    if (property === undefined || open === undefined) continue;
    Object.defineProperty(process, name, {
      ...property,
      get() {
        const stream = open();
        used.add(stream);
        return stream;
      },
    });
  }
}

/**
 * Goes on when all that was written has left the process: what an event has printed is out before its answer is.
 * @param {() => void} then
 */
function whenWritten(then) {
  const unwritten = [...used].filter((stream) => stream.writableLength > 0);
  let left = unwritten.length;
  if (left === 0) then();
  for (const stream of unwritten) {
    stream.write('', () => {
      left -= 1;
      if (left === 0) then();
    });
  }
}

module.exports = { watchOutput, whenWritten };
