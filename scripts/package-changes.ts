/**
 * Changes to the code of packages in the bundle, each for the time that it takes a server to start: a test file waits for that, and the
 * framework does for each of a thousand routes what pays off over the years of other servers. What routes do stays the same:
 * scenarios/package.scenario.test.ts compares both.
 */
import type { Plugin } from 'rolldown';

interface Change {
  /** How the file ends. */
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

const changes: readonly Change[] = [
  // For servers that speak it.
  {
    file: 'fastify/lib/server.js',
    from: "const http2 = require('node:http2')\n",
    to: 'const http2 = {}\n',
  },
  // Each route takes its hooks and its error handler from its scope once all plugins are loaded, without a plugin of its own for that.
  {
    file: 'fastify/lib/route.js',
    from: /this\.after\(\(notHandledErr, done\) => \{(?=[^]*?avvio\.once\('preReady')/,
    to: "avvio.on('preReady', () => {",
  },
  { file: 'fastify/lib/route.js', from: "avvio.once('preReady', () => {", to: '{' },
  {
    file: 'fastify/lib/route.js',
    from: /\}\)\s+done\(notHandledErr\)\s+\}\)/,
    to: '}\n})',
  },
  // Of routes for HEAD in addition to those for GET, which nothing here asks for.
  {
    file: 'fastify/lib/route.js',
    from: "const headHandler = router.findRoute('HEAD', opts.url, constraints)",
    to: "const headHandler = shouldExposeHead ? router.findRoute('HEAD', opts.url, constraints) : null",
  },
  // For plugins that ask for a version of the framework, and for routes with a schema: none here does or has.
  {
    file: 'fastify/lib/plugin-utils.js',
    from: "const semver = require('semver')\n",
    to: '',
  },
  {
    file: 'fastify/lib/plugin-utils.js',
    from: 'const requiredVersion = meta.fastify\n',
    to: "const requiredVersion = meta.fastify\n  if (!requiredVersion) return\n  const semver = require('semver')\n",
  },
  {
    file: 'fastify/lib/schema-controller.js',
    from: /const ValidatorSelector = (require.*)\s+compilersFactory\.buildValidator = ValidatorSelector\(\)/,
    to: "compilersFactory.buildValidator = (...input) => require('@fastify/ajv-compiler')()(...input)",
  },
  {
    file: 'fastify/lib/schema-controller.js',
    from: /const SerializerSelector = (require.*)\s+compilersFactory\.buildSerializer = SerializerSelector\(\)/,
    to: "compilersFactory.buildSerializer = (...input) => require('@fastify/fast-json-stringify-compiler')()(...input)",
  },
  // The router compiles a function for each prefix of its tree, and other ones once requests come.
  {
    file: 'find-my-way/lib/node.js',
    from: /return new Function\('path', 'i', .*/,
    to: 'return (path, i) => path.startsWith(prefix, i)',
  },
  // One for each list of parameters, rather than for each route.
  {
    file: 'find-my-way/lib/handler-storage.js',
    from: /const fnBody = (.*)(?=\s+\/\/ Parameter values)/,
    to: `const names = params.join('/')
    if (madeForParams.has(names)) return madeForParams.get(names)
    const fnBody = ["'use strict'"]`,
  },
  {
    file: 'find-my-way/lib/handler-storage.js',
    from: /return (new Function\('NullObject', .*)/,
    to: `const made = new Function('NullObject', fnBody.join('\\n'))(NullObject)
    madeForParams.set(names, made)
    return made`,
  },
  {
    file: 'find-my-way/lib/handler-storage.js',
    from: 'class HandlerStorage {',
    to: 'const madeForParams = new Map()\n\nclass HandlerStorage {',
  },
  // For the first request that has a constraint, such as a version.
  {
    file: 'find-my-way/lib/handler-storage.js',
    from: 'this._compileGetHandlerMatchingConstraints(constrainer, constraints)',
    to: `this._getHandlerMatchingConstraints = (derivedConstraints) => {
        this._compileGetHandlerMatchingConstraints(constrainer)
        return this._getHandlerMatchingConstraints(derivedConstraints)
      }`,
  },
];

/** Refuses code in which it does not find what it changes: a newer version of a package wants another look. */
export function changedForStart(): Plugin {
  return {
    name: 'changed for start',
    transform(code, id) {
      const own = changes.filter(({ file }) => id.endsWith(`/node_modules/${file}`));
      return own.length === 0 ? null : own.reduce(changed, code);
    },
  };
}

function changed(code: string, { file, from, to }: Change): string {
  const result = code.replace(from, () => to);
  if (result === code) throw new Error(`${file} has no ${String(from)} any more.`);
  return result;
}
