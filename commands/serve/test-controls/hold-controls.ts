import Type from 'typebox';

import { findAccount } from '#forge/accounts/account-store.ts';
import { repositoryByName } from '#forge/repositories/repository-store.ts';
import { failureReasonCodes } from '#functions-contract/state-codes.ts';
import type { Database } from '#platform/database/database.ts';

import { type Control, control, ControlRefusal, done } from './control-request.ts';
import { heldDeliveries, heldMergeability, heldUpdate, type TestHolds } from './test-holds.ts';

const functionName = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });

const held = {
  mergeability: Type.Optional(Type.String({ pattern: '^[^/]+/[^/]+$' })),
  update: Type.Optional(functionName),
  deliveries: Type.Optional(Type.Literal(true)),
};

interface Held {
  readonly mergeability?: string;
  readonly update?: string;
  readonly deliveries?: true;
}

export function holdControls(holds: TestHolds, database: () => Database): Record<string, Control> {
  async function named({ mergeability, update, deliveries }: Held): Promise<string[]> {
    return [
      ...(mergeability === undefined
        ? []
        : [heldMergeability(await repositoryId(database(), mergeability))]),
      ...(update === undefined ? [] : [heldUpdate(update)]),
      ...(deliveries === undefined ? [] : [heldDeliveries]),
    ];
  }

  return {
    'POST hold': control(held, async (input) => {
      const names = await named(input);
      if (names.length === 0) {
        throw new ControlRefusal(422, 'Name what to hold: mergeability, update or deliveries.');
      }
      for (const name of names) holds.hold(name);
      return done;
    }),
    'POST release': control(held, async (input) => {
      const names = await named(input);
      if (names.length === 0) holds.release();
      else for (const name of names) holds.release(name);
      return done;
    }),
    'POST fail-update': control(
      {
        function: functionName,
        code: Type.Union(failureReasonCodes.map((code) => Type.Literal(code))),
        message: Type.Optional(Type.String()),
      },
      ({ function: name, code, message = 'A test control has this update fail.' }) => {
        holds.failNextUpdate(name, { code, text: message });
        return done;
      },
    ),
  };
}

async function repositoryId(database: Database, fullName: string): Promise<number> {
  const [owner = '', name = ''] = fullName.split('/');
  const found = await database.read(async (sql) => {
    const account = await findAccount(sql, owner);
    return account && repositoryByName(sql, account.id, name);
  });
  if (!found) throw new ControlRefusal(404, `There is no repository ${fullName}.`);
  return found.id;
}
