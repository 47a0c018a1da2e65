import { checkedRegion } from '../connection/endpoint.ts';
import type { Globals } from '../input/globals.ts';
import { printAnswer } from './print-answer.ts';
import { resolveProfile } from '../profile/resolve-profile.ts';
import type { CliContext } from '../context/cli-context.ts';
import { callOperation } from './call-operation.ts';
import { openService } from './open-service.ts';
import type { Session } from './session.ts';

export async function openSession(
  title: string,
  globals: Globals,
  context: CliContext,
): Promise<Session> {
  // An invalid query is reported before errors of the profile, and before anything is sent.
  const query = await queryOf(globals);
  const profile = resolveProfile(globals, context);
  const region = checkedRegion(profile.region);
  const service = await openService(region, profile, globals, title, context);
  const session: Session = {
    globals,
    context,
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
