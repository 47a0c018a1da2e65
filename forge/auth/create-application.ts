import type { AdministrationPorts } from '../ports/ports.ts';
import { callbackProblem } from './redirect-uri.ts';
import { invalid } from '../errors/api-error.ts';
import { insertApplication } from './credential-store.ts';
import { makeToken, sha256 } from './token.ts';

export interface CreatedApplication {
  readonly clientId: string;
  /** Returned only once: only its hash is stored. */
  readonly clientSecret: string;
}

/** Name of an application. */
const nameCharactersMax = 255;

/**
 * Registers an application, which has a higher rate limit than an IP address (docs/specification/forge.md 3.3). With a callback URL it
 * may also request tokens from users.
 */
export async function createApplication(
  ports: AdministrationPorts,
  input: { readonly name: string; readonly callbackUrl?: string | undefined },
): Promise<CreatedApplication> {
  const name = input.name.trim();
  if (name === '' || name.length > nameCharactersMax) {
    invalid({
      resource: 'OauthApplication',
      field: 'name',
      code: 'custom',
      message: `name must have 1 to ${nameCharactersMax} characters`,
    });
  }
  const callbackUrl = input.callbackUrl ?? null;
  const problem = callbackUrl === null ? undefined : callbackProblem(callbackUrl);
  if (problem !== undefined) {
    invalid({
      resource: 'OauthApplication',
      field: 'callback_url',
      code: 'custom',
      message: problem,
    });
  }
  const clientId = Buffer.from(ports.randomBytes(10)).toString('hex');
  const clientSecret = makeToken(ports.randomBytes(32));
  const now = ports.clock.now();
  await ports.database.write((sql) =>
    insertApplication(sql, {
      name,
      clientId,
      secretSha256: sha256(clientSecret),
      callbackUrl,
      now,
    }),
  );
  return { clientId, clientSecret };
}
