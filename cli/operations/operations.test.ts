import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { commandName } from '../context/cli-context.ts';
import { loadOperation, operationCommands } from './operations.ts';

const folder = join(import.meta.dirname, '..', '..', 'functions-contract', 'operations');

async function contractCommands(): Promise<string[]> {
  const args: string[] = [];
  for (const file of readdirSync(folder)) {
    const exported: Readonly<Record<string, unknown>> = await import(join(folder, file));
    for (const value of Object.values(exported))
      if (typeof value === 'object' && value !== null && 'name' in value && 'path' in value)
        args.push(commandName(String(value.name)));
  }
  return [...new Set(args)].toSorted();
}

describe('the list of operations', () => {
  test('names every operation of the contract', async () => {
    assert.deepEqual([...operationCommands], await contractCommands());
  });

  test('loads each by its word', async () => {
    for (const word of operationCommands) {
      const operation = await loadOperation(word);
      assert.equal(operation && commandName(operation.name), word);
    }
  });
});
