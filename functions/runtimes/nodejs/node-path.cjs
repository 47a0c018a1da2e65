// @ts-check
/** Lets ES modules import packages from NODE_PATH: Node uses it for `require` only, AWS's runtime for both. */
'use strict';

const { existsSync } = require('node:fs');
const nodeModule = require('node:module');

/**
 * The URL of a file next to each existing `node_modules` of NODE_PATH, from which its packages can be resolved.
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

/** Uses the default resolution first, so that packages of the function take precedence. */
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
