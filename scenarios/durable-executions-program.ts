/** Durable functions with AWS's own library in their archive, as it is on npm. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Files } from './function-service.ts';

const source = `
import { appendFileSync } from 'node:fs';
import { withDurableExecution } from '@aws/durable-execution-sdk-js';

/** At most so often, a second apart. */
const upTo = (count) => ({
  retryStrategy: (_error, attempt) => ({ shouldRetry: attempt < count, delay: { seconds: 1 } }),
});

const stories = {
  async everything({ number, other, child }, context) {
    const doubled = await context.step('double', async () => number * 2);
    await context.wait('pause', { seconds: 1 });
    const attempts = await context.step(
      'flaky',
      async ({ attempt }) => {
        if (attempt < 2) throw new Error('not yet');
        return attempt;
      },
      upTo(3),
    );
    const both = await context.parallel('both', [
      (branch) => branch.step('a', async () => 'a'),
      async (branch) => {
        await branch.wait('rest', { seconds: 1 });
        return branch.step('b', async () => 'b');
      },
    ]);
    const squares = await context.map('squares', [1, 2, 3], (item, value) =>
      item.step('square', async () => value * value),
    );
    const polled = await context.waitForCondition('poll', async (seen) => seen + 1, {
      initialState: 0,
      waitStrategy: (seen) =>
        seen < 2 ? { shouldContinue: true, delay: { seconds: 1 } } : { shouldContinue: false },
    });
    const called = await context.invoke('call', other, { doubled });
    const started = await context.invoke('begin', child, { story: 'child', word: 'hello' });
    return { doubled, attempts, both: both.getResults(), squares: squares.getResults(), polled, called, started };
  },
  async child({ word }, context) {
    await context.wait({ seconds: 1 });
    return context.step(async () => word.toUpperCase());
  },
  async approval(_event, context) {
    const given = await context.waitForCallback('approval', async () => {}, { timeout: { minutes: 5 } });
    try {
      await context.waitForCallback('impatient', async () => {}, { timeout: { seconds: 1 } });
    } catch (error) {
      return { given: JSON.parse(given), late: error.name };
    }
  },
  async refusal(_event, context) {
    try {
      await context.waitForCallback('approval', async () => {});
    } catch (error) {
      return { name: error.name, message: error.message };
    }
  },
  async failure(_event, context) {
    try {
      await context.invoke('call', 'missing:1', {});
    } catch (error) {
      await context.step('break', async () => { throw new TypeError('broken after ' + error.name); }, upTo(1));
    }
  },
  /** Each step says something that it could not say again. */
  async journey({ legs }, context) {
    const stamps = [];
    for (let leg = 0; leg < legs; leg += 1) {
      stamps.push(await context.step('leg-' + leg, async () => crypto.randomUUID()));
      await context.wait('rest-' + leg, { seconds: 1 });
    }
    return stamps;
  },
};

export const handler = withDurableExecution((event, context) => stories[event.story](event, context));
`;

/** A function that runs the story that its event names. */
export function durableFiles(): Files {
  const files: Record<string, string | Buffer> = { 'index.mjs': source };
  const entry = fileURLToPath(import.meta.resolve('@aws/durable-execution-sdk-js'));
  const library = dirname(dirname(entry));
  // It has a scope, so its folder is two below the one of all packages.
  const root = resolve(library, '..', '..', '..');
  for (const folder of packagesWith(library, root)) {
    for (const path of filesIn(folder)) files[relative(root, path)] = readFileSync(path);
  }
  return files;
}

/** A package's folder, and those of everything that it needs. */
function packagesWith(
  folder: string,
  root: string,
  found = new Set<string>(),
): ReadonlySet<string> {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {} }: { dependencies?: object } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys(dependencies)) {
    packagesWith(folderOf(name, folder, root), root, found);
  }
  return found;
}

function folderOf(name: string, from: string, root: string): string {
  const folder = join(from, 'node_modules', name);
  if (statSync(folder, { throwIfNoEntry: false })) return folder;
  if (from === root) throw new Error(`${name} is not installed.`);
  return folderOf(name, dirname(from), root);
}

/** What runs of a package: neither its types nor other packages inside of it. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(node_modules|dist-types)$/.test(entry.name) ? [] : filesIn(path);
    return /\.(js|mjs|cjs|json)$/.test(entry.name) ? [path] : [];
  });
}
