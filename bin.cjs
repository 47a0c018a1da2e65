#!/usr/bin/env node
/** The command of the npm package: runs Hob with this Node, or with the packaged one where this one is too old for it. */
'use strict';
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// Next to the program, because code from a folder of others would run as ours. Without the right to write it does nothing.
const compiledFolder = join(__dirname, '.compiled');
// Without types in the package, with them in a clone.
const program = ['hob.js', 'hob.ts'].map((name) => join(__dirname, name)).find(existsSync);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 12)) {
  enableCompileCache(compiledFolder);
  import(pathToFileURL(program).href).catch((error) => {
    throw error;
  });
} else {
  runWith(packagedNode());
}

function packagedNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/bin/node`);
  } catch {
    process.stderr.write(
      `hob: Node.js ${process.versions.node} is older than 24.12, and there is no packaged one for ${process.platform} on ${process.arch}. Install a newer one.\n`,
    );
    process.exit(1);
  }
}

function runWith(node) {
  const env = { NODE_COMPILE_CACHE: compiledFolder, ...process.env };
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit', env });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code;
    else process.exitCode = 1;
  });
}
