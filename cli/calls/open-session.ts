import type { Operation } from '#functions-contract/operation.ts';

import { checkedRegion } from '../connection/endpoint.ts';
import type { Globals } from '../input/globals.ts';
import type { InputMap } from '../input/input-value.ts';
import { printAnswer } from '../print-answer.ts';
import type { Profile } from '../profile/profile.ts';
import { resolveProfile } from '../profile/resolve-profile.ts';
import type { World } from '../world.ts';
import { callOperation, type Output } from './call-operation.ts';
import { openService } from './open-service.ts';

/** What a command works with once the global options and the profile are settled. */
export interface Session {
  readonly globals: Globals;
  readonly world: World;
  readonly profile: Profile;
  /** Sends one request; an answer that is an error is thrown. */
  readonly call: (operation: Operation, input: InputMap) => Promise<Output>;
  /** Filters and formats as the options say; resolves with the exit code. */
  readonly print: (value: unknown) => Promise<number>;
  readonly query: ((value: unknown) => unknown) | undefined;
  /** Name of the command's operation. */
  readonly title: string;
}

export async function openSession(title: string, globals: Globals, world: World): Promise<Session> {
  // A query that cannot be understood is told before the profile's faults, and before anything is sent.
  const query = await queryOf(globals);
  const profile = resolveProfile(globals, world);
  const region = checkedRegion(profile.region);
  const service = await openService(region, profile, globals, title, world);
  const session: Session = {
    globals,
    world,
    profile,
    query,
    title,
    call: (called, input) => callOperation(service, called, input),
    print: (value) => printAnswer(session, value),
  };
  return session;
}

async function queryOf(globals: Globals): Promise<Session['query']> {
  if (globals.query === undefined) return undefined;
  return (await import('../query/apply-query.ts')).compileQuery(globals.query);
}
