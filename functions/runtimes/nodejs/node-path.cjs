// @ts-check
/** Lets modules find what is in the folders of NODE_PATH: Node by itself looks there for `require` only, and the vendor's for both. */
'use strict';

const { existsSync } = require('node:fs');
const nodeModule = require('node:module');

/**
 * The URL of a file beside each `node_modules` of NODE_PATH that is there, from which its packages are found.
 * @returns {string[]}
 */
function parents() {
  return (process.env['NODE_PATH'] ?? '')
    .split(':')
    .filter((folder) => folder.endsWith('/node_modules') && existsSync(folder))
    .map((folder) => `file://${folder.slice(0, -'node_modules'.length)}-`);
}

/** @param {unknown} error */
function isMissing(error) {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** Asks as usual first, so that what is beside the function wins. */
function findByNodePath() {
  const found = parents();
  if (found.length === 0) return;
  if (typeof nodeModule.registerHooks !== 'function') {
    // Node before 22.15 asks on a thread of its own.
    nodeModule.register(`data:text/javascript,${encodeURIComponent(threadSource(found))}`);
    return;
  }
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!isMissing(error) || !/^[@\w]/.test(specifier)) throw error;
        for (const parentURL of found) {
          try {
            return next(specifier, { ...context, parentURL });
          } catch (other) {
            if (!isMissing(other)) throw other;
          }
        }
        throw error;
      }
    },
  });
}

/** @param {string[]} found */
function threadSource(found) {
  return `export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !/^[@\\w]/.test(specifier)) throw error;
    for (const parentURL of ${JSON.stringify(found)}) {
      try {
        return await next(specifier, { ...context, parentURL });
      } catch (other) {
        if (other?.code !== 'ERR_MODULE_NOT_FOUND') throw other;
      }
    }
    throw error;
  }
}`;
}

module.exports = { findByNodePath };
