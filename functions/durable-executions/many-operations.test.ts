import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { applyOperationUpdate } from './apply-update.ts';
import { Changes } from './changes.ts';
import { findByArn } from './execution-state.ts';
import { listEvents } from './history-store.ts';
import { findOperations, outlineOperations } from './operation-store.ts';
import { createDurableCalls } from './testing/durable-calls.ts';

describe('thousands of operations', () => {
  it('are stored by few statements, in their order', async (t) => {
    const calls = await createDurableCalls();
    t.after(() => calls.functions.close());
    const { database, settings } = calls.functions.ports;
    const arn = await calls.begin();
    const ids = Array.from({ length: 1050 }, (_each, index) => `step ${index}`);
    const context = { now: 1000, newCallbackId: () => 'none' };
    await database.write(async (sql) => {
      const execution = await findByArn(sql, settings, arn);
      assert.ok(execution);
      const changes = new Changes();
      for (const Id of ids) {
        const update = { Id, Type: 'STEP', Action: 'SUCCEED', Payload: Id } as const;
        changes.add(applyOperationUpdate(undefined, update, context));
      }
      let statements = 0;
      const counting: typeof sql.run = (...call) => {
        statements += 1;
        return sql.run(...call);
      };
      const saved = await changes.save({ ...sql, run: counting }, execution, context.now);
      assert.ok(statements < 50, String(statements));
      assert.equal(saved.operations, ids.length);
      const outline = await outlineOperations(sql, execution.id);
      assert.deepEqual(
        outline.map(({ id, position }) => [id, position]),
        ids.map((id, index) => [id, index + 1]),
      );
      const found = await findOperations(sql, execution.id, ['step 999', 'step 1049']);
      assert.deepEqual(
        found.map(({ result }) => result),
        ['step 999', 'step 1049'],
      );
      const page = { newestFirst: true, after: undefined };
      const { events } = await listEvents(sql, execution.id, page, { items: 2, size: 10_000 });
      assert.deepEqual(
        events.map(({ number, event }) => [number, event.type, event.operation?.id]),
        [
          [2101, 'StepSucceeded', 'step 1049'],
          [2100, 'StepStarted', 'step 1049'],
        ],
      );
    });
  });
});
