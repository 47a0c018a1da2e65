import type { SignedInUser } from '#web/site.ts';

import { accessKeysOf } from '../../access-keys/administer-access-keys.ts';
import { principalOf } from '../../access-keys/find-credential.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import type { FunctionPorts } from '../../http/call.ts';
import type { SignedPrincipal } from '../../signing/principal.ts';

/**
 * Whom a signed-in user acts as. The console does what the user's access key can do: who has none, may not use it, and who loses the last one
 * may no longer. Of several keys it is the oldest, which the audit log names.
 */
export async function principalOfUser(
  ports: Pick<FunctionPorts, 'database' | 'settings'>,
  { id, login }: SignedInUser,
): Promise<SignedPrincipal> {
  const [key] = await accessKeysOf(ports, id);
  if (key) return principalOf(key, ports.settings.accountId);
  throw new FunctionsError(
    'AccessDeniedException',
    `${login} has no access key for the function service. An administrator creates one with: ./hob admin create-access-key ${login}`,
  );
}
