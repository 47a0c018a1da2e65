import type { DebugLog } from '../connection/debug-log.ts';
import { send } from '../connection/send.ts';
import { commandName } from '../context/command-name.ts';
import type { Globals } from '../input/globals.ts';
import type { Credentials } from '../profile/credentials.ts';
import type { Profile } from '../profile/profile.ts';
import type { CliContext } from '../context/cli-context.ts';
import type { Service } from './service.ts';

/** The service that the options and the profile name; credentials are looked up by the first request. */
export async function openService(
  region: string,
  profile: Profile,
  globals: Globals,
  title: string,
  context: CliContext,
): Promise<Service> {
  const log = await openLog(globals, context);
  let credentials: Promise<Credentials | undefined> | undefined;
  return {
    send: async (request) => {
      credentials ??= globals.signRequest ? profile.findCredentials() : Promise.resolve(undefined);
      return send(
        request,
        {
          endpointUrl: profile.endpointUrl,
          region,
          credentials: await credentials,
          userAgent: `hob/${context.version()} md/command#lambda.${commandName(title)}`,
          log,
          connectTimeout: globals.connectTimeout,
          readTimeout: globals.readTimeout,
          verifySsl: globals.verifySsl,
          caBundle: profile.caBundle,
          retries: profile.retries,
        },
        context,
      );
    },
  };
}

async function openLog(globals: Globals, context: CliContext): Promise<DebugLog | undefined> {
  if (!globals.debug) return undefined;
  return (await import('../connection/debug-log.ts')).debugLog(context.stderr, context.now, 'hob');
}
